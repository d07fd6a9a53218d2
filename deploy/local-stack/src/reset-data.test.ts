import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimVolume, isInVolumes } from '@inventory/backends/container-data';
import { openLocalDirectory } from './local-directory.ts';
import { resetData } from './reset-data.ts';
import { lockDirectory } from './stack-lock.ts';

/** Without the programs of Docker. */
const environment = { PATH: '/nowhere' };
let path: string;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'reset-data-'));
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

test('data and logs are removed, secrets stay', async () => {
  const directory = openLocalDirectory(path);
  writeFileSync(directory.demoFile, '{}');
  writeFileSync(directory.secretsFile, '{"operator_token":"kept"}');

  expect(await resetData(path, environment)).toContain('are removed');

  expect(existsSync(directory.dataDir)).toBe(false);
  expect(existsSync(directory.logsDir)).toBe(false);
  expect(readFileSync(directory.secretsFile, 'utf8')).toContain('kept');
  expect(existsSync(directory.pidFile)).toBe(false);
});

test('data in Docker volumes that cannot be removed are not forgotten', async () => {
  const directory = openLocalDirectory(path);
  claimVolume(directory.dataDir, 'kafka');

  await expect(resetData(path, environment)).rejects.toThrow(/Docker/);

  expect(isInVolumes(directory.dataDir)).toBe(true);
});

test('while a stack is running on the directory reset refuses and names the process', async () => {
  const directory = openLocalDirectory(path);
  const lock = lockDirectory(directory, 'stop it');

  await expect(resetData(path, environment)).rejects.toThrow(
    new RegExp(`is running on .*process ${process.pid}.*Ctrl-C`),
  );

  expect(existsSync(directory.dataDir)).toBe(true);
  lock.release();
});

test('a second start on the same directory is refused and names the process of the first', () => {
  const directory = openLocalDirectory(path);
  const lock = lockDirectory(directory, 'use that one');

  expect(() => lockDirectory(directory, 'use that one')).toThrow(
    `(process ${process.pid}): use that one`,
  );
  lock.release();
});
