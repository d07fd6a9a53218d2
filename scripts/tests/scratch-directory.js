'use strict';

const { chmodSync, mkdtempSync, rmSync, statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Where Linux keeps files in memory. */
const memory = '/dev/shm';
/** Several times what a run writes. */
const bytesNeeded = 8 * 1024 ** 3;

/**
 * A directory for everything temporary of one run, the data of Kafka and MongoDB included: in
 * memory where there is room, because a confirmed write waits for the disk (docs/decisions/0007).
 *
 * @returns {{ path: string, remove: () => void }}
 */
function openScratchDirectory() {
  const path = mkdtempSync(join(hasRoom() ? memory : tmpdir(), 'inventory-run-'));
  // The image test runs programs as another user: it may enter what the test opens to it.
  chmodSync(path, 0o711);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= bytesNeeded;
  } catch {
    return false;
  }
}

module.exports = { openScratchDirectory };
