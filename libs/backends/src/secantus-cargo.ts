import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicNow } from '@inventory/runtime/clock';
import { cachedDirectory, provideCached } from './cache-directory.ts';
import { explainFailure } from './command-failure.ts';
import type { MongodbServer, ServerSearch } from './mongodb-server.ts';
import { ProvisionError } from './provision-error.ts';
import { runCommand } from './run-command.ts';
import { secantusArgs, secantusLogArgs } from './secantus-args.ts';
import { serverVersions } from './server-versions.ts';

const version = serverVersions.secantusCrate;
const entryName = `secantusdb-cargo-${version}`;
const spaceNeededMiB = 4_096;
const buildDeadlineMs = 60 * 60_000;
const reminderMs = 60_000;

export function hasCargoBuild(cacheDir: string): boolean {
  return existsSync(cachedDirectory(cacheDir, entryName));
}

/** SecantusDB's Rust server, built from source: several minutes, once. The fastest of its builds. */
export async function provideCargoServer(search: ServerSearch): Promise<MongodbServer> {
  const folder = await provideCached({
    ...search,
    name: entryName,
    spaceNeededMiB,
    make: (partial) => build(partial, search),
  });
  return {
    build: 'cargo',
    name: `SecantusDB ${version} (cargo)`,
    command: join(folder, 'bin', 'secantusd-rs'),
    args: (port) => [...secantusArgs(port), ...secantusLogArgs],
  };
}

async function build(folder: string, search: ServerSearch): Promise<void> {
  search.onProgress(`Building SecantusDB ${version} with cargo (about six minutes, once).`);
  const begunMs = monotonicNow();
  const reminder = setInterval(() => {
    const minutes = Math.round((monotonicNow() - begunMs) / 60_000);
    search.onProgress(`Still building SecantusDB (${minutes} min).`);
  }, reminderMs);
  const target = join(folder, 'target');
  try {
    const result = await runCommand({
      command: 'cargo',
      args: [
        'install',
        'secantus-mdb',
        '--version',
        version,
        '--locked',
        '--ignore-rust-version',
        '--root',
        folder,
      ],
      environment: { ...search.environment, CARGO_TARGET_DIR: target },
      deadlineMs: buildDeadlineMs,
      signal: search.signal,
    });
    const failure = explainFailure('cargo', result);
    if (failure !== null) throw new ProvisionError(failure);
  } finally {
    clearInterval(reminder);
  }
  rmSync(target, { recursive: true, force: true });
}
