'use strict';

const { spawnSync } = require('node:child_process');
const { readFileSync, rmSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '../..');

/** Program and arguments; some packages that tests use are ES modules. */
function jestCommand(args) {
  const own = [
    '--experimental-vm-modules',
    '--conditions=@inventory/source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
  ];
  return [process.execPath, [...own, ...args]];
}

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
  rmSync(report, { force: true });
  const [command, all] = jestCommand(['--json', `--outputFile=${report}`, ...args]);
  const stdio = ['ignore', 'ignore', 'inherit'];
  const { status, error } = spawnSync(command, all, { cwd: root, stdio, env: environment });
  if (error) process.stdout.write(`${error.message}\n`);
  const counts = countsOf(report);
  const passed = status === 0 && counts !== undefined;
  // A run that did not end well has failed in something, and says so.
  const { passed: good = 0, failed = 0 } = counts ?? {};
  return { passed, counts: { passed: good, failed: failed || (passed ? 0 : 1) } };
}

/** Undefined where Jest ended before it could report. A file that cannot run is a failed test. */
function countsOf(report) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return undefined;
  }
}

module.exports = { jestCommand, runJest };
