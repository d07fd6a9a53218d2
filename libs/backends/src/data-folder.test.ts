import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataFolder, readMaker, writeMaker } from './data-folder.ts';

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'data-folder-'));
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

test('data are used by one start at a time', () => {
  const path = join(parent, 'data');
  const first = openDataFolder(path);

  expect(() => openDataFolder(path)).toThrow(new RegExp(`in use by process ${process.pid}`));

  first.release();
  openDataFolder(path).release();
  expect(existsSync(path)).toBe(true);
});

test('without a folder one is made for the run, and gone afterwards', () => {
  const folder = openDataFolder(undefined);

  expect(folder.temporary).toBe(true);
  expect(existsSync(folder.path)).toBe(true);
  folder.release();
  expect(existsSync(folder.path)).toBe(false);
});

test('data remember which build wrote them', () => {
  const path = join(parent, 'mongodb');

  expect(readMaker(path)).toBeNull();
  writeMaker(path, 'wheel');
  expect(readMaker(path)).toBe('wheel');
});
