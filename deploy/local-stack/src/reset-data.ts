import { existsSync, rmSync } from 'node:fs';
import { removeVolumes } from '@inventory/backends/container-data';
import { waitForOrphans } from '@inventory/backends/data-directory';
import { localDirectory } from './local-directory.ts';
import { shownPath } from './repository-root.ts';
import type { Environment } from './service-environment.ts';
import { lockDirectory } from './stack-lock.ts';

/**
 * Removes all data and logs of a local stack; its secrets stay. Resolves with a sentence for the
 * screen. Rejects with a SetupError while a stack is running on the directory, or where its data are
 * in Docker volumes and no daemon responds.
 */
export async function resetData(path: string, environment: Environment): Promise<string> {
  const directory = localDirectory(path);
  if (!existsSync(directory.path)) return 'There are no data yet: nothing to remove.';
  const hint = 'stop it first (Ctrl-C there), then run npm run reset again.';
  const lock = lockDirectory(directory, hint);
  try {
    await waitForOrphans(directory.dataDir);
    await removeVolumes(directory.dataDir, environment);
    const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 200 };
    const { dataDir, logsDir, stackFile } = directory;
    for (const part of [stackFile, dataDir, logsDir]) rmSync(part, options);
  } finally {
    lock.release();
  }
  return `The data in ${shownPath(directory.path)} are removed: the next npm start begins with nothing. Servers given by KAFKA_BROKERS or MONGODB_URI keep theirs.`;
}
