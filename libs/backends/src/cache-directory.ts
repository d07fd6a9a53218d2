import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from './environment.ts';
import { assertFreeSpace } from './free-space.ts';

/** Where downloads are kept between runs and checkouts: outside the work tree. */
export function cacheDirectory(environment: Environment): string {
  if (environment['INVENTORY_CACHE_DIR']) return resolve(environment['INVENTORY_CACHE_DIR']);
  const caches = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache');
  return resolve(caches, 'game-item-inventory');
}

export interface CacheEntry {
  readonly cacheDir: string;
  /** Names content that never changes: it includes the version. */
  readonly name: string;
  readonly spaceNeededMiB: number;
  /** Fills an empty directory. */
  readonly make: (directory: string) => Promise<void>;
}

/**
 * The directory of a cache entry, made first when it is missing. It appears whole or not at all:
 * it is made aside and renamed. Of several processes that make it at once the first one wins.
 */
export async function provideCached(entry: CacheEntry): Promise<string> {
  const directory = join(entry.cacheDir, entry.name);
  if (existsSync(directory)) return directory;
  mkdirSync(entry.cacheDir, { recursive: true });
  assertFreeSpace(entry.cacheDir, entry.spaceNeededMiB, `downloading ${entry.name}`);
  const partial = mkdtempSync(`${directory}.partial-`);
  try {
    await entry.make(partial);
    renameSync(partial, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return directory;
}
