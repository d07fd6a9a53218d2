import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnOwned } from '@inventory/backends/owned-process';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { patientUri } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { holdForTeardown } from './held-for-teardown.ts';
import startBackends from './start-backends.ts';

const endWithinMs = 30_000;
const program = resolve(__dirname, '../shared-stack/dist/main.js');
const queryRecorder = resolve(__dirname, 'record-queries.cjs');

/**
 * Jest's global setup of the end-to-end tests: one stack for all that do not kill or reconfigure
 * it. Workers find the directory with its addresses and its log in SHARED_STACK_DIR.
 */
// biome-ignore lint/style/noDefaultExport: Jest takes its hooks as default exports.
export default async function startSharedStack(): Promise<void> {
  await startBackends();
  const directory = mkdtempSync(join(tmpdir(), 'shared-stack-'));
  const addressesFile = join(directory, 'addresses.json');
  const logFile = join(directory, 'stack.log');
  const log = openSync(logFile, 'w', 0o600);
  const stack = await spawnOwned({
    command: process.execPath,
    args: ['--enable-source-maps', '--require', queryRecorder, program],
    spawn: {
      cwd: directory,
      env: {
        ...process.env,
        MONGODB_URI: patientUri(process.env['MONGODB_URI'] ?? ''),
        STACK_PREFIX: `s${systemIdentifiers.uuidV7().replaceAll('-', '').slice(4, 20)}`,
        ADDRESSES_FILE: addressesFile,
      },
      stdio: ['ignore', log, log],
    },
    removeAfterDeath: directory,
  }).finally(() => closeSync(log));
  holdForTeardown(async () => {
    stack.signal('SIGKILL');
    await stack.untilEnd(endWithinMs);
    rmSync(directory, { recursive: true, force: true });
  });
  await waitFor('the shared stack is ready', () => {
    if (stack.hasEnded()) throw new Error(readFileSync(logFile, 'utf8').slice(-4_000));
    return existsSync(addressesFile);
  });
  process.env['SHARED_STACK_DIR'] = directory;
}
