'use strict';

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const { join } = require('node:path');
const { SetupError } = require('./setup-error.js');

const pollMs = 100;
const quietTries = 10;

/**
 * One process at a time installs and compiles in this folder; others wait. A lock whose process
 * has died is taken over.
 */
async function holdBootLock(root) {
  const folder = join(root, 'node_modules');
  const path = join(folder, '.boot.lock');
  try {
    fs.mkdirSync(folder, { recursive: true });
    for (let tries = 0; !take(path); tries += 1) {
      if (tries === quietTries) {
        process.stderr.write('Another command is installing or compiling: waiting for it.\n');
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  } catch (error) {
    if (error.code === 'ENOSPC') {
      throw new SetupError('The disk is full: free about 1 GB and run again.');
    }
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new SetupError(
      `${folder} is not writable: correct its owner and permissions and run again.`,
    );
  }
  return { release: () => fs.rmSync(path, { force: true }) };
}

function take(path) {
  return create(path) || (removeIfStale(path) && create(path));
}

/** By link, so that the file is never seen without its content. */
function create(path) {
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  try {
    fs.writeFileSync(draft, JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) }));
    fs.linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/**
 * Looks again under a second lock: of two that saw the same dead holder, the slower one must not
 * remove the lock that the faster one has just taken.
 */
function removeIfStale(path) {
  if (isHeld(path)) return false;
  const guard = `${path}.takeover`;
  if (!create(guard)) {
    if (!isHeld(guard)) fs.rmSync(guard, { force: true });
    return false;
  }
  try {
    if (isHeld(path)) return false;
    fs.rmSync(path, { force: true });
    return true;
  } finally {
    fs.rmSync(guard, { force: true });
  }
}

function isHeld(path) {
  try {
    const { pid, startedAt } = JSON.parse(fs.readFileSync(path, 'utf8'));
    process.kill(pid, 0);
    return startOf(pid) === startedAt;
  } catch (error) {
    // A process of somebody else lives, too.
    return error.code === 'EPERM';
  }
}

/** Tells a process from a later one with its number; only Linux says so without another program. */
function startOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

module.exports = { holdBootLock };
