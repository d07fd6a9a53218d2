import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Place {
  readonly memory: string;
  readonly needed: number;
}
interface ScratchFolder {
  readonly path: string;
  remove(): void;
}
const scriptPath = join(__dirname, '../../scripts/verify/scratch-folder.js');
const { openScratchFolder } = jest.requireActual<{
  openScratchFolder(place: Place): ScratchFolder;
}>(scriptPath);

let memory: string;

beforeEach(() => {
  memory = mkdtempSync(join(tmpdir(), 'memory-'));
});
afterEach(() => rmSync(memory, { recursive: true, force: true }));

test('what a run writes is in memory where there is room, and gone with the run', () => {
  const folder = openScratchFolder({ memory, needed: 1 });

  expect(dirname(folder.path)).toBe(memory);
  expect(readdirSync(memory)).toHaveLength(1);
  expect((statSync(folder.path).mode & 0o7777).toString(8)).toBe('1777');
  folder.remove();
  expect(readdirSync(memory)).toEqual([]);
});

test.each([
  ['there is too little room', { needed: Number.MAX_SAFE_INTEGER }],
  ['there is no such place', { memory: '/proc/nowhere' }],
  ['nothing can be written there', { memory: '/proc' }],
])('it is where the system keeps temporary files when %s', (_reason, place) => {
  const folder = openScratchFolder({ memory, needed: 1, ...place });

  expect(dirname(folder.path)).toBe(tmpdir());
  folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

test('what a killed run left is removed by the next, and nothing of a run that lives', () => {
  const ended = spawnSync(process.execPath, ['--eval', '']).pid;
  const left = join(memory, `inventory-run-${ended}-a`);
  const living = join(memory, `inventory-run-${process.ppid}-a`);
  const another = join(memory, 'another');
  for (const path of [left, living, another]) mkdirSync(path);

  openScratchFolder({ memory, needed: 1 }).remove();

  expect([left, living, another].map(existsSync)).toEqual([false, true, true]);
});
