'use strict';

/**
 * `npm run test:long [-- <pattern> …]`: the long tests one at a time, then every property 20,000
 * times. A pattern selects files by their path. TEST_SEED=<number> repeats the random choices of
 * the run that printed it. The last line counts the tests.
 */
const { execFileSync } = require('node:child_process');
const { resolve } = require('node:path');
const { runJest } = require('./tests/run-jest.js');

const root = resolve(__dirname, '..');
const propertyRuns = 20_000;

function propertyFiles(patterns) {
  const found = execFileSync('git', ['grep', '-l', 'propertyRuns(', '--', '*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const paths = found.split('\n').filter((path) => path !== '');
  if (patterns.length === 0) return paths;
  return paths.filter((path) => patterns.some((pattern) => new RegExp(pattern, 'i').test(path)));
}

function main(patterns) {
  const TEST_SEED = process.env.TEST_SEED ?? String(Date.now() % 2 ** 31);
  process.stdout.write(`TEST_SEED=${TEST_SEED}\n`);
  const options = ['--runInBand', '--passWithNoTests', '--selectProjects'];
  const runs = [runJest([...patterns, ...options, 'long'], { TEST_SEED })];
  const files = propertyFiles(patterns);
  if (files.length > 0) {
    const PROPERTY_RUNS = String(propertyRuns);
    const args = ['--runTestsByPath', ...files, ...options, 'unit', 'integration'];
    runs.push(runJest(args, { TEST_SEED, PROPERTY_RUNS }));
  }
  const sum = (of) => runs.reduce((total, counts) => total + counts[of], 0);
  process.stdout.write(`Tests: ${sum('passed')} passed, ${sum('failed')} failed\n`);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
}

main(process.argv.slice(2));
