'use strict';

/**
 * `npm test`: static checks and all tests but the long ones. The last line counts the tests; the
 * exit code covers the static checks too.
 */
const { runJest } = require('./tests/run-jest.js');
const { runStaticChecks } = require('./tests/static-checks.js');

/** Tests wait for servers part of their time: four files keep two cores busy. */
const workers = 4;

const startMs = Date.now();
const failedChecks = runStaticChecks();
process.stdout.write('\n== tests\n');
const { passed, failed } = runJest([
  `--maxWorkers=${workers}`,
  '--selectProjects',
  ...['house', 'unit', 'integration', 'end-to-end'],
]);
const lines = [
  '',
  ...failedChecks.map((name) => `${name} failed`),
  `Duration: ${Math.round((Date.now() - startMs) / 1_000)} s`,
  `Tests: ${passed} passed, ${failed} failed`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = failedChecks.length === 0 && failed === 0 ? 0 : 1;
