import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tryLock } from '@inventory/backends/file-lock';
import { SetupError } from '@inventory/backends/setup-error';
import type { LocalDirectory } from './local-directory.ts';
import { shownPath } from './repository-root.ts';

export interface StackLock {
  /** Whether the stack before was killed: its processes may still be ending. */
  readonly isAfterCrash: boolean;
  release(): void;
}

/** One stack to a directory. Throws a {@link SetupError} that names the process of the other one. */
export function lockDirectory(directory: LocalDirectory, hint: string): StackLock {
  const { lockFile, path, pidFile } = directory;
  const lock = tryLock(lockFile);
  if (lock === null) {
    const holder = existsSync(pidFile) ? ` (process ${readFileSync(pidFile, 'utf8').trim()})` : '';
    throw new SetupError(`A local stack is running on ${shownPath(path)}${holder}:`, hint);
  }
  const isAfterCrash = existsSync(pidFile);
  writeFileSync(pidFile, `${process.pid}\n`);
  return {
    isAfterCrash,
    release() {
      rmSync(pidFile, { force: true });
      lock.release();
    },
  };
}
