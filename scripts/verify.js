'use strict';

/**
 * Everything that is checked before a change lands, each part runnable alone by its npm script.
 * One Kafka and one MongoDB serve all tests of the run. The last line says how many tests passed
 * and how many failed; the exit code says whether everything else did.
 */
const { spawnSync } = require('node:child_process');
const { join, resolve } = require('node:path');
const { readProcessorTime, stolenShare } = require('./verify/processor-time.js');
const { runTests } = require('./verify/run-tests.js');
const { openScratchFolder } = require('./verify/scratch-folder.js');

const startTime = readProcessorTime();
const root = resolve(__dirname, '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
/** Several times what any check takes: one that hangs fails, and the others still run. */
const hangMs = 40 * 60_000;

/** Above it files that run beside each other make each other miss the times they judge. */
const stolenShareMax = 0.2;
const workersOnShared = 2;

const tests = (name, workers, again) => ({ name, tests: { workers, again } });

const checks = [
  {
    name: 'format and lint',
    command: bin('biome'),
    args: ['ci', '.', ...(process.stdout.isTTY ? [] : ['--colors=off'])],
  },
  { name: 'types', command: bin('tsc'), args: ['-b'] },
  {
    name: 'layers',
    command: bin('depcruise'),
    args: ['--config', '.dependency-cruiser.cjs', 'libs', 'services', 'deploy', 'test'],
  },
  { name: 'dead code', command: bin('knip'), args: ['--no-config-hints'] },
  {
    name: 'generated files',
    command: process.execPath,
    args: [join(root, 'scripts/generate.js'), '--check'],
  },
  tests('house', 2, false),
  tests('unit', 2, false),
];
const checksWithBackends = [
  tests('integration', 3, true),
  tests('end-to-end', 3, true),
  tests('end-to-end-timed', 1, true),
  tests('end-to-end-kills', 1, false),
];

function run(check, env) {
  const startMs = Date.now();
  process.stdout.write(`\n== ${check.name}\n`);
  const place = { root, timeoutMs: hangMs, env };
  const result = check.tests
    ? runTests(check.name, paced(check.tests), place)
    : runCommand(check, place);
  const seconds = ((Date.now() - startMs) / 1000).toFixed(1);
  process.stdout.write(`== ${check.name}: ${result.passed ? 'ok' : 'FAILED'} in ${seconds} s\n`);
  return { name: check.name, ...result };
}

/** Files wait for servers part of their time: three keep two cores busy that nobody else uses. */
function paced({ workers, again }) {
  const share = stolenShare(startTime, readProcessorTime());
  if (workers <= workersOnShared || share <= stolenShareMax) return { workers, again };
  const percent = Math.round(share * 100);
  process.stdout.write(
    `Other machines got ${percent} % of the processors: ${workersOnShared} files at a time\n`,
  );
  return { workers: workersOnShared, again };
}

function runCommand({ command, args }, { timeoutMs }) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error) process.stdout.write(`${error.message}\n`);
  return { passed: status === 0, tests: { passed: 0, failed: 0 }, unsteady: [] };
}

async function main() {
  const scratch = openScratchFolder();
  process.env.TMPDIR = scratch.path;
  try {
    report(await runAll());
  } finally {
    scratch.remove();
  }
}

async function runAll() {
  const results = checks.map((check) => run(check, {}));
  const { provisionBackends } = require('../libs/backends/dist/provision-backends.js');
  const backends = await provisionBackends({
    environment: process.env,
    // Tests take servers down and bring them back, which only native processes let them do.
    docker: 'never',
    onProgress: (sentence) => process.stdout.write(`${sentence}\n`),
  });
  const environment = {
    KAFKA_BROKERS: backends.kafkaBrokers,
    MONGODB_URI: backends.mongodbUri,
  };
  try {
    for (const check of checksWithBackends) results.push(run(check, environment));
  } finally {
    await backends.stop();
  }
  return results;
}

function report(results) {
  process.stdout.write('\n');
  for (const title of results.flatMap(({ unsteady }) => unsteady)) {
    process.stdout.write(`failed at first, passed alone: ${title}\n`);
  }
  const failed = results.filter((result) => !result.passed);
  for (const { name } of failed) process.stdout.write(`${name} failed\n`);
  const sum = (of) => results.reduce((total, { tests }) => total + tests[of], 0);
  process.stdout.write(`Tests: ${sum('passed')} passed, ${sum('failed')} failed\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
