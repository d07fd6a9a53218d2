import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock, lockHolder, tryLock } from './file-lock.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-lock-'));
  path = join(folder, 'sub', 'thing.lock');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The number of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

test('a lock is held by one at a time and says who that is', () => {
  const lock = tryLock(path);

  expect(lock).not.toBeNull();
  expect(tryLock(path)).toBeNull();
  expect(lockHolder(path)?.pid).toBe(process.pid);

  lock?.release();
  expect(existsSync(path)).toBe(false);
  expect(tryLock(path)).not.toBeNull();
});

test('whoever waits gets the lock when it is released, and is told once that it waits', async () => {
  const lock = tryLock(path);
  const told: string[] = [];
  let second = false;

  const waiting = acquireLock(path, { onWait: () => told.push('waiting') }).then((mine) => {
    second = true;
    return mine;
  });
  await acquireLock(join(folder, 'another.lock'));
  expect(second).toBe(false);
  lock?.release();

  const mine = await waiting;
  expect(told).toEqual(['waiting']);
  mine.release();
});

test.each([
  ['of a process that died', () => JSON.stringify({ pid: deadPid(), startedAt: '1' })],
  [
    'of an earlier process with a number that is in use again',
    () => JSON.stringify({ pid: process.pid, startedAt: 'long ago' }),
  ],
  ['that cannot be read', () => 'half a li'],
])('a lock %s is taken over', (_case, content) => {
  tryLock(path)?.release();
  writeFileSync(path, content());

  expect(lockHolder(path)).toBeNull();
  expect(tryLock(path)).not.toBeNull();
  expect(lockHolder(path)?.pid).toBe(process.pid);
});

test('a takeover that died in the middle does not block the next one for ever', async () => {
  tryLock(path)?.release();
  const dead = JSON.stringify({ pid: deadPid(), startedAt: '1' });
  writeFileSync(path, dead);
  writeFileSync(`${path}.takeover`, dead);

  const lock = await acquireLock(path);

  expect(lockHolder(path)?.pid).toBe(process.pid);
  lock.release();
  expect(readdirSync(join(folder, 'sub'))).toEqual([]);
});

test('waiting ends when the wait is aborted', async () => {
  tryLock(path);
  const controller = new AbortController();

  const waiting = acquireLock(path, { signal: controller.signal });
  controller.abort(new Error('Ctrl-C'));

  await expect(waiting).rejects.toThrow('Ctrl-C');
});
