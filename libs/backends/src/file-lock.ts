import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Held until released, or until this process ends, however it ends. */
export interface FileLock {
  release(): void;
}

const busy = 5;

/**
 * Takes the lock of a file, which is created and stays; null when another process, or this one,
 * holds it. SQLite locks the file by the operating system, so no lock outlives its process.
 */
export function tryLock(path: string): FileLock | null {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === busy) return null;
    throw error;
  }
  return { release: () => database.close() };
}
