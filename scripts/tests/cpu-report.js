'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { relative, resolve } = require('node:path');

const root = resolve(__dirname, '../..');

/**
 * Where the CPU seconds of a run went, as lines of text, the largest first.
 *
 * @param {string} file written by test/support/worker-environment.ts: a JSON object per line
 * @param {number} filesMax
 */
function cpuReport(file, filesMax) {
  if (!existsSync(file)) return [];
  const files = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .toSorted((one, other) => other.cpuSeconds - one.cpuSeconds);
  const total = files.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  return [
    `${files.length} test files took ${total.toFixed(0)} CPU seconds, servers apart:`,
    ...files
      .slice(0, filesMax)
      .map((one) => `${one.cpuSeconds.toFixed(1).padStart(7)}  ${relative(root, one.file)}`),
  ];
}

module.exports = { cpuReport };
