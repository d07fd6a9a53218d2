import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import { tryLock } from './file-lock.ts';
import { assertFreeSpace } from './free-space.ts';
import { signalGroup } from './owned-process.ts';
import { SetupError } from './setup-error.ts';

/** The directory of the native servers, used by this process alone until released. */
export interface DataDirectory {
  readonly path: string;
  /** Made for this run and removed when it is released. */
  readonly isTemporary: boolean;
  release(): void;
}

const spaceNeededMiB = 1024;
/** A watchdog takes 5 s, longer on a busy machine. */
const watchdogTimeoutMs = 15_000;
const pollMs = 100;

/** Without a path: a temporary directory. Rejects when another process uses the directory. */
export async function openDataDirectory(path: string | undefined): Promise<DataDirectory> {
  if (path === undefined) return openTemporary();
  const directory = resolve(path);
  mkdirSync(directory, { recursive: true });
  const lock = tryLock(join(directory, 'in-use.lock'));
  if (lock === null) {
    throw new SetupError(
      `The data in ${directory} are in use by another process.`,
      'Stop it first (Ctrl-C there), or use another directory.',
    );
  }
  try {
    await waitForOrphans(directory);
    assertFreeSpace(directory, spaceNeededMiB, 'the data of Kafka and MongoDB');
  } catch (error) {
    lock.release();
    throw error;
  }
  return { path: directory, isTemporary: false, release: () => lock.release() };
}

export function pidFile(directory: string): string {
  return join(directory, 'server.pid');
}

/**
 * Waits while servers whose owner was killed still run: their watchdogs end them. Not for ever,
 * because a number may have passed to another process; the servers lock their data themselves.
 */
export async function waitForOrphans(dataDir: string): Promise<void> {
  const startMs = monotonicNow();
  const files = ['kafka', 'mongodb'].map((server) => pidFile(join(dataDir, server)));
  while (files.some(isGroupAlive) && elapsedSince(startMs) < watchdogTimeoutMs) {
    await pause(pollMs);
  }
}

function isGroupAlive(file: string): boolean {
  try {
    return signalGroup(Number(readFileSync(file, 'utf8')), 0);
  } catch {
    return false;
  }
}

function openTemporary(): DataDirectory {
  const path = mkdtempSync(join(tmpdir(), 'inventory-backends-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  try {
    assertFreeSpace(path, spaceNeededMiB, 'the data of Kafka and MongoDB');
  } catch (error) {
    remove();
    throw error;
  }
  return { path, isTemporary: true, release: remove };
}
