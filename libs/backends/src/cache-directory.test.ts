import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '@inventory/runtime/wait';
import { type CacheEntry, cacheDirectory, provideCached } from './cache-directory.ts';

let cacheDir: string;

beforeEach(() => {
  cacheDir = mkdtempSync(join(tmpdir(), 'cache-directory-'));
});

afterEach(() => rmSync(cacheDir, { recursive: true, force: true }));

function entry(make: CacheEntry['make'], spaceNeededMiB = 1): CacheEntry {
  return {
    cacheDir,
    name: 'server-1.0',
    spaceNeededMiB,
    make,
  };
}

test.each([
  [{ INVENTORY_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }, '/a'],
  [{ XDG_CACHE_HOME: '/b', HOME: '/c' }, '/b/game-item-inventory'],
  [{ HOME: '/c' }, '/c/.cache/game-item-inventory'],
])('with %p downloads are kept in %s', (environment, directory) => {
  expect(cacheDirectory(environment)).toBe(directory);
});

test('two that make an entry at once get the same directory', async () => {
  const make = async (directory: string): Promise<void> => {
    await pause(20);
    writeFileSync(join(directory, 'server'), 'binary');
  };

  const [one, two] = await Promise.all([provideCached(entry(make)), provideCached(entry(make))]);

  expect(one).toBe(two);
  expect(readFileSync(join(one, 'server'), 'utf8')).toBe('binary');
  expect(readdirSync(cacheDir)).toEqual(['server-1.0']);
});

test('a download that fails leaves no files, and the next one starts anew', async () => {
  const failing = provideCached(
    entry(async (directory) => {
      writeFileSync(join(directory, 'half'), '');
      throw new Error('connection reset');
    }),
  );
  await expect(failing).rejects.toThrow('connection reset');
  expect(readdirSync(cacheDir)).toEqual([]);

  const directory = await provideCached(
    entry(async (partial) => writeFileSync(join(partial, 'whole'), '')),
  );

  expect(readdirSync(directory)).toEqual(['whole']);
});

test('a disk that is too full is reported before anything is fetched', async () => {
  const make = jest.fn();

  await expect(provideCached(entry(make, 1e12))).rejects.toThrow(/too full.*Free some space/);

  expect(make).not.toHaveBeenCalled();
});
