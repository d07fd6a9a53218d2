'use strict';

/**
 * Everything that is checked before a change lands, each part runnable alone by its npm script.
 * One Kafka and one MongoDB serve all tests of the run. The last line says how many tests passed
 * and how many failed; the exit code says whether everything else did.
 */
const { spawnSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
/** Several times what any check takes: one that hangs fails, and the others still run. */
const hangMs = 40 * 60_000;
const reports = mkdtempSync(join(tmpdir(), 'inventory-verify-'));

const jest = (name, projects, workers) => ({
  name,
  tests: true,
  command: process.execPath,
  args: [
    '--experimental-vm-modules',
    '--conditions=@inventory/source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
    '--selectProjects',
    ...projects,
    `--maxWorkers=${workers}`,
    '--json',
    `--outputFile=${join(reports, `${name}.json`)}`,
  ],
});

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
  jest('house', ['house'], 2),
  jest('unit', ['unit'], 2),
];
const checksWithBackends = [
  jest('integration', ['integration'], 2),
  jest('end-to-end', ['end-to-end'], 2),
  jest('end-to-end-alone', ['end-to-end-alone'], 1),
];

function run(check, environment) {
  const startMs = Date.now();
  process.stdout.write(`\n== ${check.name}\n`);
  const { status, error } = spawnSync(check.command, check.args, {
    cwd: root,
    timeout: hangMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', check.tests ? 'ignore' : 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
  });
  const seconds = ((Date.now() - startMs) / 1000).toFixed(1);
  const passed = status === 0;
  process.stdout.write(`== ${check.name}: ${passed ? 'ok' : 'FAILED'} in ${seconds} s\n`);
  if (error) process.stdout.write(`${error.message}\n`);
  return { name: check.name, passed, tests: check.tests ? countTests(check.name) : undefined };
}

function countTests(name) {
  try {
    const report = JSON.parse(readFileSync(join(reports, `${name}.json`), 'utf8'));
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = report;
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

async function main() {
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
    rmSync(reports, { recursive: true, force: true });
  }
  report(results);
}

function report(results) {
  process.stdout.write('\n');
  const failed = results.filter((result) => !result.passed);
  for (const { name } of failed) process.stdout.write(`${name} failed\n`);
  const sum = (of) => results.reduce((total, { tests }) => total + (tests ? tests[of] : 0), 0);
  process.stdout.write(`Tests: ${sum('passed')} passed, ${sum('failed')} failed\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
