'use strict';

/**
 * `npm test`: everything that is checked before a change lands. `--report` also lists the test
 * files by CPU seconds. The last line says how many tests passed and how many failed; the exit
 * code says whether everything else did.
 */
const { join } = require('node:path');
const { cpuReport } = require('./tests/cpu-report.js');
const { runJest } = require('./tests/run-jest.js');
const { openScratchDirectory } = require('./tests/scratch-directory.js');
const { runStaticChecks } = require('./tests/static-checks.js');

/** Tests wait for servers part of their time: four files keep two cores busy. */
const workers = 4;
const projects = ['house', 'unit', 'integration', 'end-to-end'];
const filesReported = 40;

function main() {
  const startMs = Date.now();
  const failed = runStaticChecks();
  const scratch = openScratchDirectory();
  const cpuFile = join(scratch.path, 'cpu-seconds.jsonl');
  try {
    process.stdout.write('\n== tests\n');
    const { passed, counts } = runJest(
      [`--maxWorkers=${workers}`, '--selectProjects', ...projects],
      {
        directory: scratch.path,
        environment: { ...process.env, TMPDIR: scratch.path, TEST_CPU_REPORT: cpuFile },
      },
    );
    if (!passed) failed.push('tests');
    const report = process.argv.includes('--report') ? cpuReport(cpuFile, filesReported) : [];
    print([
      '',
      ...report,
      ...failed.map((name) => `${name} failed`),
      `All of it took ${Math.round((Date.now() - startMs) / 1_000)} s.`,
      `Tests: ${counts.passed} passed, ${counts.failed} failed`,
    ]);
  } finally {
    scratch.remove();
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function print(lines) {
  process.stdout.write(`${lines.join('\n')}\n`);
}

main();
