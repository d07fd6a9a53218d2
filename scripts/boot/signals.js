'use strict';

const repeatMs = 1_000;
const parentPollMs = 500;
/** Set for a process that the boot script runs under another Node. */
const childMark = 'INVENTORY_BOOT_CHILD';
const signals = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * One Ctrl-C arrives up to three times: from the terminal, which sends it to the whole group, from
 * npm, and from a parent that passes it on. The command sees it once; a second one that a person
 * presses a second later is a second one.
 */
function mergeRepeatedSignals() {
  const emit = process.emit;
  const lastMs = new Map();
  process.emit = function emitOnce(event, ...args) {
    if (signals.has(event)) {
      const nowMs = performance.now();
      const beforeMs = lastMs.get(event);
      if (beforeMs !== undefined && nowMs - beforeMs < repeatMs) return true;
      lastMs.set(event, nowMs);
    }
    return emit.call(process, event, ...args);
  };
}

/**
 * Should npm, or the boot process that passes signals on, be killed outright, stop as if asked to.
 * Without one of these as parent nothing is watched: a shell may well end before its commands.
 */
function endWithParent() {
  if (!process.env.npm_lifecycle_event && !process.env[childMark]) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, parentPollMs);
  watch.unref();
}

module.exports = { childMark, endWithParent, mergeRepeatedSignals };
