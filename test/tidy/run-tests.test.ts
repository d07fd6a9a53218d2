import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Verdict {
  readonly passed: boolean;
  readonly tests: { readonly passed: number; readonly failed: number };
  readonly unsteady: readonly string[];
}
const scriptPath = join(__dirname, '../../scripts/verify/run-tests.js');

/** What a planted file does when it is run. */
const planted = {
  steady: "test('steady', () => {});",
  wrong: "test('right', () => {}); test('wrong', () => expect(1).toBe(2));",
  unreadable: 'test(',
  /** Fails only while this mark is not there, which it leaves. */
  unsteady: `
    const { existsSync, writeFileSync } = require('node:fs');
    test('right', () => {});
    test('unsteady', () => {
      const mark = __filename + '.mark';
      const isSecond = existsSync(mark);
      writeFileSync(mark, '');
      expect(isSecond).toBe(true);
    });
  `,
};

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'run-tests-'));
  mkdirSync(join(root, 'planted'));
  const project = { displayName: 'planted', testMatch: ['<rootDir>/planted/*.js'], transform: {} };
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(
    join(root, 'jest.config.cjs'),
    `module.exports = { projects: [{ rootDir: __dirname, ...${JSON.stringify(project)} }] };`,
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function plant(...files: readonly (keyof typeof planted)[]): void {
  for (const [index, name] of files.entries()) {
    writeFileSync(join(root, 'planted', `${name}-${index}.js`), planted[name]);
  }
}

/** In a process of its own, because failures that are wanted would be read as this run's. */
function run(again: boolean, timeoutMs = 60_000): Verdict {
  const place = JSON.stringify({ root, timeoutMs, env: {} });
  const program = `
    const { runTests } = require(${JSON.stringify(scriptPath)});
    const verdict = runTests('planted', { workers: 2, again: ${again} }, ${place});
    process.stdout.write('\\n' + JSON.stringify(verdict));
  `;
  const { stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n')));
}

test('a run without a failure is what it is', () => {
  plant('steady', 'steady');
  expect(run(true)).toEqual({ passed: true, tests: { passed: 2, failed: 0 }, unsteady: [] });
});

test('what fails at first and passes alone counts once, and is named', () => {
  plant('steady', 'unsteady');
  expect(run(true)).toEqual({
    passed: true,
    tests: { passed: 3, failed: 0 },
    unsteady: ['planted/unsteady-1.js: unsteady'],
  });
});

test('what fails twice has failed, whatever passes beside it', () => {
  plant('wrong', 'unsteady', 'steady');
  expect(run(true)).toEqual({ passed: false, tests: { passed: 4, failed: 1 }, unsteady: [] });
});

test('a file that cannot be run is a failure', () => {
  plant('steady', 'unreadable');
  expect(run(true)).toEqual({ passed: false, tests: { passed: 1, failed: 1 }, unsteady: [] });
});

test('where nothing is run again, one failure fails the run', () => {
  plant('unsteady');
  expect(run(false)).toEqual({ passed: false, tests: { passed: 1, failed: 1 }, unsteady: [] });
});

test('more failed files than five are no accident: none is run again', () => {
  plant('unsteady', 'unsteady', 'unsteady', 'unsteady', 'unsteady', 'unsteady');
  expect(run(true)).toEqual({ passed: false, tests: { passed: 6, failed: 6 }, unsteady: [] });
});

test('a run that was cut off has failed', () => {
  plant('steady');
  expect(run(true, 1)).toEqual({ passed: false, tests: { passed: 0, failed: 1 }, unsteady: [] });
});
