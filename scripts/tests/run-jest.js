'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '../..');
/** Where Linux keeps files in memory. */
const memory = '/dev/shm';
/** Several times what a run writes. */
const bytesNeeded = 8 * 1024 ** 3;

/** Program and arguments. */
function jestCommand(args) {
  const own = [
    '--conditions=@inventory/source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
  ];
  return [process.execPath, [...own, ...args]];
}

/**
 * Runs Jest to its end; progress lines go to standard error. Temporary files, the data of Kafka and
 * MongoDB included, are in memory where it has capacity (docs/contributors/decisions/0007) and removed afterwards.
 *
 * @param {readonly string[]} args Jest's own: paths, projects, workers
 * @param {Record<string, string>} environment set beside this process's own
 * @returns {Promise<{ passed: number, failed: number }>} numbers of tests; a file that cannot run is one
 */
async function runJest(args, environment = {}) {
  const directory = mkdtempSync(join(hasRoom() ? memory : tmpdir(), 'inventory-run-'));
  // The image test runs programs as another user, which must be able to enter.
  chmodSync(directory, 0o711);
  try {
    const report = join(directory, 'jest-report.json');
    const [command, all] = jestCommand(['--json', `--outputFile=${report}`, ...args]);
    const jest = spawn(command, all, {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, TMPDIR: directory, ...environment },
    });
    const [status] = await once(jest, 'close');
    const { passed, failed } = countsOf(report);
    return { passed, failed: failed || (status === 0 ? 0 : 1) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Jest writes no report when it ends early. */
function countsOf(report) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= bytesNeeded;
  } catch {
    return false;
  }
}

module.exports = { jestCommand, runJest };
