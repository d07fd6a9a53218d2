'use strict';

/**
 * `npm run test:long`: the long tests one at a time, then every property 20,000 times.
 *
 *   npm run test:long -- chaos webhook     files whose path contains one of the words
 *   npm run test:long -- --minutes 30      in random order; no file starts later than that
 *   npm run test:long -- --seed 42         the same order and the same random choices again
 *
 * Each run prints its seed. The last line counts the tests.
 */
const { execFileSync } = require('node:child_process');
const { resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { runJest } = require('./tests/run-jest.js');

const root = resolve(__dirname, '..');
const propertyRuns = 20_000;
const seedMax = 2 ** 31;
/** Ends a test that hangs: 20,000 runs of a simulation take a slow machine half an hour. */
const testTimeoutMs = 2 * 3_600_000;

async function main() {
  const { words, minutes, seed } = readCommandLine();
  const isWanted = (path) => words.length === 0 || words.some((word) => path.includes(word));
  const runs = [
    ...trackedFiles('ls-files', '*.long.test.ts').map((path) => ({ path, projects: ['long'] })),
    ...trackedFiles('grep', '-l', 'propertyRuns(', '--', '*.test.ts').map((path) => ({
      path,
      projects: ['unit', 'integration'],
      environment: { PROPERTY_RUNS: String(propertyRuns) },
    })),
  ].filter(({ path }) => isWanted(path));
  if (runs.length === 0) throw new Error(`No path contains ${words.join(' or ')}.`);
  process.stdout.write(`Seed ${seed}; again with: npm run test:long -- --seed ${seed}\n`);
  const wanted = minutes === Infinity ? runs : shuffle(runs, seed);
  report(await runAll(wanted, minutes, seed), runs.length);
}

function readCommandLine() {
  const { values, positionals } = parseArgs({
    options: { minutes: { type: 'string' }, seed: { type: 'string' } },
    allowPositionals: true,
  });
  const { minutes = 'Infinity', seed = String(Date.now() % seedMax) } = values;
  return {
    words: positionals,
    minutes: numberOf('--minutes', minutes),
    seed: numberOf('--seed', seed),
  };
}

function numberOf(name, text) {
  const value = Number(text);
  if (!(value >= 0)) throw new Error(`${name} needs a number, not "${text}".`);
  return value;
}

/** Paths that git prints, one per line. */
function trackedFiles(...args) {
  const lines = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line !== '');
}

/** The same order for the same seed. */
function shuffle(runs, seed) {
  let state = seed;
  const keyed = runs.map((run) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { run, key: state };
  });
  return keyed.sort((left, right) => left.key - right.key).map(({ run }) => run);
}

/** One Jest run per file: a file that takes servers down affects no other. */
async function runAll(runs, minutes, seed) {
  const endMs = Date.now() + minutes * 60_000;
  const results = [];
  for (const { path, projects, environment } of runs) {
    if (Date.now() > endMs) break;
    const startMs = Date.now();
    const args = [
      ...['--runInBand', '--runTestsByPath', path, '--selectProjects', ...projects],
      `--testTimeout=${testTimeoutMs}`,
    ];
    const counts = await runJest(args, { TEST_SEED: String(seed), ...environment });
    const verdict = counts.failed === 0 ? 'ok' : 'FAILED';
    const seconds = Math.round((Date.now() - startMs) / 1_000);
    process.stdout.write(`== ${path}: ${verdict} in ${seconds} s\n`);
    results.push({ path, ...counts });
  }
  return results;
}

function report(results, wanted) {
  const sum = (of) => results.reduce((total, counts) => total + counts[of], 0);
  const failed = results.filter((result) => result.failed > 0);
  const lines = [
    '',
    `${results.length} of ${wanted} files were run.`,
    ...failed.map(({ path }) => `${path} failed`),
    `Tests: ${sum('passed')} passed, ${sum('failed')} failed`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
