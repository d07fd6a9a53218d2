'use strict';

const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '../..');

/**
 * Runs Jest once and waits for it. Standard output is Jest's JSON report and not shown; the
 * progress lines go to standard error.
 *
 * @param {readonly string[]} args Jest's own: projects, workers, paths
 * @param {{ directory: string, environment: Record<string, string | undefined> }} run
 *   `directory` takes the report
 * @returns {{ passed: boolean, counts: { passed: number, failed: number } }}
 */
function runJest(args, { directory, environment }) {
  const report = join(directory, 'jest-report.json');
  const { status, error } = spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--conditions=@inventory/source',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules/jest/bin/jest.js'),
      '--json',
      `--outputFile=${report}`,
      ...args,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: environment },
  );
  if (error) process.stdout.write(`${error.message}\n`);
  const counts = countsOf(report);
  const passed = status === 0;
  // A run that did not end well has failed in something, and says so.
  return { passed, counts: { ...counts, failed: counts.failed || (passed ? 0 : 1) } };
}

/** Zeros where Jest was ended before it could report. A file that cannot run is a failed test. */
function countsOf(report) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

module.exports = { runJest };
