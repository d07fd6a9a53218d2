import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '@inventory/runtime/wait';
import { type CacheEntry, cacheDirectory, provideCached } from './cache-directory.ts';

let cacheDir: string;

beforeEach(() => {
  cacheDir = mkdtempSync(join(tmpdir(), 'cache-folder-'));
});

afterEach(() => rmSync(cacheDir, { recursive: true, force: true }));

function entry(make: CacheEntry['make'], spaceNeededMiB = 1): CacheEntry {
  return {
    cacheDir,
    name: 'server-1.0',
    spaceNeededMiB,
    onProgress: () => {},
    signal: undefined,
    make,
  };
}

test.each([
  [{ INVENTORY_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }, '/a'],
  [{ XDG_CACHE_HOME: '/b', HOME: '/c' }, '/b/game-item-inventory'],
  [{ HOME: '/c' }, '/c/.cache/game-item-inventory'],
])('with %p downloads are kept in %s', (environment, folder) => {
  expect(cacheDirectory(environment)).toBe(folder);
});

test('two that miss an entry at once fetch it once and get the same folder', async () => {
  let made = 0;
  const make = async (folder: string): Promise<void> => {
    made += 1;
    await pause(20);
    writeFileSync(join(folder, 'server'), 'binary');
  };

  const [one, two] = await Promise.all([provideCached(entry(make)), provideCached(entry(make))]);

  expect(made).toBe(1);
  expect(one).toBe(two);
  expect(readFileSync(join(one, 'server'), 'utf8')).toBe('binary');
  expect(readdirSync(cacheDir)).toEqual(['server-1.0']);
});

test('a download that fails leaves nothing behind, and the next try starts afresh', async () => {
  const failing = provideCached(
    entry(async (folder) => {
      writeFileSync(join(folder, 'half'), '');
      throw new Error('the line was cut');
    }),
  );
  await expect(failing).rejects.toThrow('the line was cut');
  expect(readdirSync(cacheDir)).toEqual([]);

  const folder = await provideCached(
    entry(async (partial) => writeFileSync(join(partial, 'whole'), '')),
  );

  expect(readdirSync(folder)).toEqual(['whole']);
});

test('a disk too full is said before anything is fetched', async () => {
  const make = jest.fn();

  await expect(provideCached(entry(make, 1e12))).rejects.toThrow(/too full.*Free some space/);

  expect(make).not.toHaveBeenCalled();
});
