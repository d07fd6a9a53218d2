'use strict';

/**
 * `npm run test:long`: what takes long, judges times, kills processes, or needs programs of others.
 *
 *   npm run test:long                         every story, and every property 20,000 times
 *   npm run test:long -- chaos webhook        the stories whose paths contain one of the words
 *   npm run test:long -- --minutes 30         in random order; none begins later than that
 *   npm run test:long -- --seed 42            the same order and the same chances again
 *
 * Each story has the machine to itself. The last line counts as that of `npm test` does.
 */
const { spawnSync } = require('node:child_process');
const { join, resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { provisionBackends } = require('../libs/backends/dist/provision-backends.js');
const { runJest } = require('./tests/run-jest.js');
const { openScratchDirectory } = require('./tests/scratch-directory.js');

const root = resolve(__dirname, '..');
const propertyRuns = 20_000;

/** A name for the screen, Jest's arguments, and settings. */
function allStories() {
  const stories = filesOf(['ls-files', '*.long.test.ts']).map((file) => ({
    name: file,
    args: ['--selectProjects', 'long', '--runTestsByPath', join(root, file)],
    settings: {},
  }));
  const properties = filesOf(['grep', '-l', 'propertyRuns(', '--', '*.test.ts']).map((file) => ({
    name: `${file}, properties`,
    args: ['--selectProjects', 'unit', 'integration', '--runTestsByPath', join(root, file)],
    settings: { PROPERTY_RUNS: String(propertyRuns) },
  }));
  return [...stories, ...properties];
}

/** Paths that git prints, one in a line; none where it finds nothing. */
function filesOf(gitArgs) {
  const { stdout } = spawnSync('git', gitArgs, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}

function readCommandLine() {
  const { values, positionals } = parseArgs({
    options: { minutes: { type: 'string' }, seed: { type: 'string' } },
    allowPositionals: true,
  });
  const minutes = numberOf(values.minutes ?? 'Infinity', '--minutes');
  return { words: positionals, minutes, seed: numberOf(values.seed ?? newSeed(), '--seed') };
}

function newSeed() {
  return String(Date.now() % 2 ** 31);
}

function numberOf(text, name) {
  const value = Number(text);
  if (!(value >= 0)) throw new Error(`${name} needs a number, not "${text}"`);
  return value;
}

/** The same order for the same seed. */
function shuffle(items, seed) {
  let state = seed;
  const draws = new Map(
    items.map((item) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return [item, state];
    }),
  );
  return items.toSorted((one, other) => draws.get(one) - draws.get(other));
}

async function main() {
  const { words, minutes, seed } = readCommandLine();
  const chosen = allStories().filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  if (chosen.length === 0) throw new Error(`no story is named like ${words.join(' or ')}`);
  const stories = minutes === Infinity ? chosen : shuffle(chosen, seed);
  process.stdout.write(`Seed ${seed}; again with: npm run test:long -- --seed ${seed}\n`);
  const scratch = openScratchDirectory();
  process.env.TMPDIR = scratch.path;
  try {
    const backends = await provisionBackends({
      environment: process.env,
      // Stories take servers down and bring them back, which only native processes let them do.
      docker: 'never',
      onProgress: (sentence) => process.stdout.write(`${sentence}\n`),
    });
    const environment = {
      ...process.env,
      KAFKA_BROKERS: backends.kafkaBrokers,
      MONGODB_URI: backends.mongodbUri,
      TEST_SEED: String(seed),
    };
    try {
      report(runStories(stories, { minutes, directory: scratch.path, environment }), stories);
    } finally {
      await backends.stop();
    }
  } finally {
    scratch.remove();
  }
}

function runStories(stories, { minutes, directory, environment }) {
  const endMs = Date.now() + minutes * 60_000;
  const results = [];
  for (const { name, args, settings } of stories) {
    if (Date.now() > endMs) break;
    const startMs = Date.now();
    const run = { directory, environment: { ...environment, ...settings } };
    const { passed, counts } = runJest(args, run);
    const seconds = ((Date.now() - startMs) / 1_000).toFixed(0);
    process.stdout.write(`== ${name}: ${passed ? 'ok' : 'FAILED'} in ${seconds} s\n`);
    results.push({ name, passed, counts });
  }
  return results;
}

function report(results, stories) {
  const failed = results.filter(({ passed }) => !passed);
  process.stdout.write(`\n${results.length} of ${stories.length} stories were run.\n`);
  for (const { name } of failed) process.stdout.write(`${name} failed\n`);
  const sum = (of) => results.reduce((total, { counts }) => total + counts[of], 0);
  process.stdout.write(`Tests: ${sum('passed')} passed, ${sum('failed')} failed\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
