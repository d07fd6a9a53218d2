'use strict';

const { spawnSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative, resolve } = require('node:path');

const jestPath = resolve(__dirname, '../../node_modules/jest/bin/jest.js');
/** More failed files than this are no accident of the machine. */
const filesRunAgain = 5;

/**
 * Runs one of Jest's projects. With `again`, the few files that failed are run once more, one at a
 * time (docs/decisions/0006): what then passes counts as passed and is named in `unsteady`, what
 * fails twice has failed.
 *
 * @param {string} project
 * @param {{ workers: number, again: boolean }} how
 * @param {{ root: string, timeoutMs: number, env: Record<string, string> }} place
 * @returns {{ passed: boolean, tests: { passed: number, failed: number }, unsteady: string[] }}
 */
function runTests(project, { workers, again }, place) {
  const reports = mkdtempSync(join(tmpdir(), 'inventory-tests-'));
  try {
    const first = runJest(project, workers, [], join(reports, 'first.json'), place);
    const failed = first.files.filter(({ status }) => status !== 'passed');
    const few = failed.length > 0 && failed.length <= filesRunAgain;
    if (first.passed || !again || !few) return verdictOf(first.passed, first.files, []);
    const names = failed.map(({ name }) => name);
    process.stdout.write(`== ${project}: ${names.length} failed, once more and alone\n`);
    const second = runJest(project, 1, names, join(reports, 'second.json'), place);
    const steady = first.files.filter(({ status }) => status === 'passed');
    const unsteady = titlesFailed(failed, place.root);
    return verdictOf(second.passed, [...steady, ...second.files], second.passed ? unsteady : []);
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

function runJest(project, workers, paths, report, { root, timeoutMs, env }) {
  const args = [
    '--experimental-vm-modules',
    '--conditions=@inventory/source',
    '--disable-warning=ExperimentalWarning',
    jestPath,
    `--selectProjects=${project}`,
    `--maxWorkers=${workers}`,
    '--json',
    `--outputFile=${report}`,
    ...(paths.length > 0 ? ['--runTestsByPath', ...paths] : []),
  ];
  const { status, error } = spawnSync(process.execPath, args, {
    cwd: root,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  if (error) process.stdout.write(`${error.message}\n`);
  return { passed: status === 0, files: filesIn(report) };
}

/** Nothing where Jest was ended before it could report. */
function filesIn(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return [];
  }
}

function verdictOf(passed, files, unsteady) {
  const count = (status) => files.flatMap(testsIn).filter((test) => test.status === status).length;
  const tests = { passed: count('passed'), failed: count('failed') };
  // A run that did not end well has failed in something, and says so.
  return { passed, tests: passed ? tests : { ...tests, failed: tests.failed || 1 }, unsteady };
}

/** A file that could not be run is one failed test. */
function testsIn({ status, assertionResults }) {
  const failed = assertionResults.some((test) => test.status === 'failed');
  return status === 'passed' || failed
    ? assertionResults
    : [...assertionResults, { status: 'failed', fullName: 'the file as a whole' }];
}

function titlesFailed(files, root) {
  return files.flatMap((file) =>
    testsIn(file)
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${relative(root, file.name)}: ${fullName}`),
  );
}

module.exports = { runTests };
