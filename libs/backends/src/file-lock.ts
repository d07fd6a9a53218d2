import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pause } from '@inventory/runtime/wait';
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
  parseProcessIdentity,
} from './process-identity.ts';
import { hasCode } from './provision-error.ts';

/** A file that says which process holds something. A dead holder's file is taken over. */
export interface FileLock {
  release(): void;
}

export interface LockWait {
  readonly signal?: AbortSignal | undefined;
  /** Called once, when somebody else holds it and waiting begins. */
  readonly onWait?: () => void;
}

const pollMs = 100;

/** Waits as long as its holder lives. Rejects only when the signal is aborted. */
export async function acquireLock(path: string, wait: LockWait = {}): Promise<FileLock> {
  let told = false;
  for (;;) {
    wait.signal?.throwIfAborted();
    const lock = tryLock(path);
    if (lock !== null) return lock;
    if (!told) wait.onWait?.();
    told = true;
    await pause(pollMs, wait.signal);
  }
}

/** The lock, or null when a living process (perhaps this one) holds it. */
export function tryLock(path: string): FileLock | null {
  mkdirSync(dirname(path), { recursive: true });
  if (!create(path)) {
    if (!removeIfStale(path) || !create(path)) return null;
  }
  return { release: () => rmSync(path, { force: true }) };
}

/** Who holds the lock; null when nobody living does. */
export function lockHolder(path: string): ProcessIdentity | null {
  try {
    const holder = parseProcessIdentity(readFileSync(path, 'utf8'));
    return holder !== null && isRunning(holder) ? holder : null;
  } catch {
    return null;
  }
}

/** By link, so that the file is never seen without its content. */
function create(path: string): boolean {
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  try {
    writeFileSync(draft, JSON.stringify(identifyProcess(process.pid)));
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Looks again under a second lock: of two that saw the same dead holder, the slower one must not
 * remove the lock that the faster one has just taken.
 */
function removeIfStale(path: string): boolean {
  if (lockHolder(path) !== null) return false;
  const guard = `${path}.takeover`;
  if (!create(guard)) {
    if (lockHolder(guard) === null) rmSync(guard, { force: true });
    return false;
  }
  try {
    if (lockHolder(path) !== null) return false;
    rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}
