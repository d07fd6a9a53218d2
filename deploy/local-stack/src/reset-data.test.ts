import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalDirectory } from './local-directory.ts';
import { resetData } from './reset-data.ts';
import { lockDirectory } from './stack-lock.ts';

let path: string;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'reset-data-'));
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

test('data and logs are removed, secrets stay', async () => {
  const folder = openLocalDirectory(path);
  writeFileSync(folder.demoFile, '{}');
  writeFileSync(folder.secretsFile, '{"operator_token":"kept"}');

  expect(await resetData(path)).toContain('are removed');

  expect(existsSync(folder.dataDir)).toBe(false);
  expect(existsSync(folder.logsDir)).toBe(false);
  expect(readFileSync(folder.secretsFile, 'utf8')).toContain('kept');
  expect(existsSync(folder.lockFile)).toBe(false);
});

test('while a stack is running on the folder it refuses and names the process', async () => {
  const folder = openLocalDirectory(path);
  const lock = lockDirectory(folder, 'stop it');

  await expect(resetData(path)).rejects.toThrow(
    new RegExp(`is running on .*process ${process.pid}.*Ctrl-C`),
  );

  expect(existsSync(folder.dataDir)).toBe(true);
  lock.release();
});

test('a second start on the same folder is told about the first', () => {
  const folder = openLocalDirectory(path);
  const lock = lockDirectory(folder, 'use that one');

  expect(() => lockDirectory(folder, 'use that one')).toThrow(
    `(process ${process.pid}): use that one`,
  );
  lock.release();
});

test('a lock of a process that was killed is taken over', () => {
  const folder = openLocalDirectory(path);
  writeFileSync(folder.lockFile, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' }));

  expect(() => lockDirectory(folder, '').release()).not.toThrow();
});
