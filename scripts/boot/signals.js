'use strict';

const repeatMs = 1_000;
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

/** Should the parent that passes signals on be killed outright, stop as if asked to. */
function endWithParent() {
  if (!process.channel) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

module.exports = { endWithParent, mergeRepeatedSignals };
