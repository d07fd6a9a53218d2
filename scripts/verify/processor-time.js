'use strict';

const { readFileSync } = require('node:fs');

/**
 * What all processors have done since the machine started, in its clock ticks: worked, or been
 * ready to work while the host gave their time to another machine. Nothing is known of other
 * systems than Linux.
 *
 * @param {string} [path]
 * @returns {{ used: number, stolen: number }}
 */
function readProcessorTime(path = '/proc/stat') {
  let line;
  try {
    [line] = readFileSync(path, 'utf8').split('\n');
  } catch {
    return { used: 0, stolen: 0 };
  }
  const [user, nice, system, _idle, _waiting, interrupts, softInterrupts, stolen] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { used: user + nice + system + interrupts + softInterrupts, stolen };
}

/** From 0 to 1: how much of the time that was wanted between two readings others got. */
function stolenShare(earlier, later) {
  const stolen = later.stolen - earlier.stolen;
  const wanted = later.used - earlier.used + stolen;
  return wanted > 0 ? stolen / wanted : 0;
}

module.exports = { readProcessorTime, stolenShare };
