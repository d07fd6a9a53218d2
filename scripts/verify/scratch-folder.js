'use strict';

const {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} = require('node:fs');
const { freemem, tmpdir } = require('node:os');
const { join } = require('node:path');

/** Where Linux keeps files in memory. */
const memoryFolder = '/dev/shm';
const prefix = 'inventory-run-';
/** Several times what a whole run writes; the processes of the run need about as much. */
const bytesNeeded = 8 * 1024 ** 3;

/**
 * A folder for everything temporary of one run, Kafka's and MongoDB's data among it: in memory
 * where there is enough of it, else where the system keeps temporary files. A disk that takes
 * half a second to store a write makes every test wait that judges a time (docs/decisions/0007).
 *
 * @param {{ memory?: string, needed?: number }} [place]
 * @returns {{ path: string, remove: () => void }}
 */
function openScratchFolder({ memory = memoryFolder, needed = bytesNeeded } = {}) {
  const parent = isRoomy(memory, needed) ? memory : tmpdir();
  removeLeftovers(parent);
  const path = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  // As the system's own: tests start programs there that run as another user.
  chmodSync(path, 0o1777);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function isRoomy(folder, needed) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= needed && freemem() >= needed && runsPrograms(folder);
  } catch {
    return false;
  }
}

/** Not so where it is mounted `noexec`; the browser of the tests is unpacked there. */
function runsPrograms(folder) {
  const probe = join(mkdtempSync(join(folder, 'inventory-probe-')), 'probe');
  try {
    writeFileSync(probe, '', { mode: 0o755 });
    accessSync(probe, constants.X_OK);
    return true;
  } finally {
    rmSync(join(probe, '..'), { recursive: true, force: true });
  }
}

/** A run that was killed could not remove its folder, and memory is no place to forget one. */
function removeLeftovers(parent) {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

module.exports = { openScratchFolder };
