import { type FileLock, lockHolder, tryLock } from '@inventory/backends/file-lock';
import { ProvisionError } from '@inventory/backends/provision-error';
import type { LocalDirectory } from './local-directory.ts';
import { shownPath } from './repository-root.ts';

/** One stack to a folder. Throws a {@link ProvisionError} that names the process which has it. */
export function lockDirectory(folder: LocalDirectory, fix: string): FileLock {
  const lock = tryLock(folder.lockFile);
  if (lock !== null) return lock;
  const holder = lockHolder(folder.lockFile)?.pid;
  const who = holder === undefined ? '' : ` (process ${holder})`;
  throw new ProvisionError(`A local stack is running on ${shownPath(folder.path)}${who}: ${fix}`);
}
