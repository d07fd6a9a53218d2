import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockHolder } from '@inventory/backends/file-lock';
import { ProvisionError } from '@inventory/backends/provision-error';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import { localDirectory } from './local-directory.ts';
import { shownPath } from './repository-root.ts';
import { lockDirectory } from './stack-lock.ts';

const leftoversMs = 15_000;
const pollMs = 100;

/**
 * Removes all data and logs of a local stack; its secrets stay. Resolves with what to tell. Rejects
 * with a ProvisionError while a stack is running on the folder.
 */
export async function resetData(path: string): Promise<string> {
  const folder = localDirectory(path);
  if (!existsSync(folder.path)) return 'There are no data yet: nothing to remove.';
  const lock = lockDirectory(folder, 'stop it first (Ctrl-C there), then run npm run reset again.');
  try {
    await untilServersAreGone(folder.dataDir);
    const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 200 };
    for (const part of [folder.stackFile, folder.dataDir, folder.logsDir]) rmSync(part, options);
  } finally {
    lock.release();
  }
  return `The data in ${shownPath(folder.path)} are removed: the next npm start begins with nothing. Servers given by KAFKA_BROKERS or MONGODB_URI keep theirs.`;
}

/** Servers of a start that was killed live on until their watchdogs have ended them. */
async function untilServersAreGone(dataDir: string): Promise<void> {
  const pidFiles = ['kafka', 'mongodb'].map((name) => join(dataDir, name, 'server.pid'));
  const begunMs = monotonicNow();
  for (;;) {
    const left = pidFiles.map(lockHolder).find((holder) => holder !== null);
    if (left === undefined) return;
    if (monotonicNow() - begunMs > leftoversMs) {
      throw new ProvisionError(
        `A server still uses the data in ${shownPath(dataDir)} (process ${left?.pid}): stop it, then run npm run reset again.`,
      );
    }
    await pause(pollMs);
  }
}
