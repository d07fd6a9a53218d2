import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from './environment.ts';
import { acquireLock } from './file-lock.ts';
import { assertFreeSpace } from './free-space.ts';

/** Where downloads are kept between runs and checkouts: outside the work tree. */
export function cacheDirectory(environment: Environment): string {
  if (environment['INVENTORY_CACHE_DIR']) return resolve(environment['INVENTORY_CACHE_DIR']);
  const caches = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache');
  return resolve(caches, 'game-item-inventory');
}

export interface CacheEntry {
  readonly cacheDir: string;
  /** Names content that never changes: versions belong into it. */
  readonly name: string;
  readonly spaceNeededMiB: number;
  readonly onProgress: (sentence: string) => void;
  readonly signal: AbortSignal | undefined;
  /** Fills an empty folder. What it throws leaves nothing behind. */
  readonly make: (folder: string) => Promise<void>;
}

export function cachedDirectory(cacheDir: string, name: string): string {
  return join(cacheDir, name);
}

/**
 * The folder of a cache entry, made first when it is missing. It appears whole or not at all (made
 * aside, then renamed), and of several processes that miss it at once one makes it.
 */
export async function provideCached(entry: CacheEntry): Promise<string> {
  const folder = cachedDirectory(entry.cacheDir, entry.name);
  if (existsSync(folder)) return folder;
  mkdirSync(entry.cacheDir, { recursive: true });
  const lock = await acquireLock(`${folder}.lock`, {
    signal: entry.signal,
    onWait: () => entry.onProgress(`Another process is fetching ${entry.name}: waiting for it.`),
  });
  try {
    if (existsSync(folder)) return folder;
    assertFreeSpace(entry.cacheDir, entry.spaceNeededMiB, `downloading ${entry.name}`);
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial);
    try {
      await entry.make(partial);
      renameSync(partial, folder);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
    return folder;
  } finally {
    lock.release();
  }
}
