'use strict';

/**
 * `npm test`: static checks and all tests but the long ones. `--report` lists the test files by CPU
 * seconds. The last line counts the tests; the exit code covers the static checks too.
 */
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { cpuReport } = require('./tests/cpu-report.js');
const { runJest } = require('./tests/run-jest.js');
const { runStaticChecks } = require('./tests/static-checks.js');

/** Tests wait for servers part of their time: four files keep two cores busy. */
const waitingWorkers = 4;
/** Beside them, while those servers start. */
const unitWorkers = 2;
const filesReported = 40;

async function main() {
  const startMs = Date.now();
  const directory = mkdtempSync(join(tmpdir(), 'inventory-report-'));
  const cpuFile = join(directory, 'cpu-seconds.jsonl');
  const queriesFile = join(directory, 'queries.jsonl');
  const environment = { TEST_CPU_REPORT: cpuFile, QUERIES_FILE: queriesFile };
  const run = (workers, ...projects) =>
    runJest([`--maxWorkers=${workers}`, '--selectProjects', ...projects], environment);
  const [failedChecks, ...runs] = await Promise.all([
    runStaticChecks(),
    run(unitWorkers, 'house', 'unit'),
    run(waitingWorkers, 'integration', 'end-to-end'),
  ]);
  // Of the queries that the tests before have sent.
  runs.push(await runJest(['--selectProjects', 'query plans'], { QUERIES_FILE: queriesFile }));
  const passed = runs.reduce((sum, counts) => sum + counts.passed, 0);
  const failed = runs.reduce((sum, counts) => sum + counts.failed, 0);
  const lines = [
    '',
    ...(process.argv.includes('--report') ? cpuReport(cpuFile, filesReported) : []),
    ...failedChecks.map((name) => `${name} failed`),
    `Duration: ${Math.round((Date.now() - startMs) / 1_000)} s`,
    `Tests: ${passed} passed, ${failed} failed`,
  ];
  rmSync(directory, { recursive: true });
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = failedChecks.length === 0 && failed === 0 ? 0 : 1;
}

void main();
