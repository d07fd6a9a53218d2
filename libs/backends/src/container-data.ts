import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { requireSuccess } from './command-failure.ts';
import type { Environment } from './environment.ts';

const servers = ['kafka', 'mongodb'] as const;
type Server = (typeof servers)[number];

const timeoutMs = 30_000;
const markerOf = (dataDir: string): string => join(dataDir, 'in-containers');

/** Whether the data of this directory are in volumes of a Docker daemon. */
export function isInVolumes(dataDir: string): boolean {
  return existsSync(markerOf(dataDir));
}

/** Whether native servers have written into this directory. */
export function isInFiles(dataDir: string): boolean {
  return servers.some((server) => existsSync(join(dataDir, server)));
}

/** The volume that keeps the data of a container for this directory. */
export function claimVolume(dataDir: string, server: Server): string {
  writeFileSync(
    markerOf(dataDir),
    'The data are in Docker volumes; `npm run reset` removes them.\n',
  );
  return volumeName(dataDir, server);
}

/** Removes the volumes of this directory, if it has any. Rejects with a SetupError. */
export async function removeVolumes(dataDir: string, environment: Environment): Promise<void> {
  if (!isInVolumes(dataDir)) return;
  const names = servers.map((server) => volumeName(dataDir, server));
  const args = ['volume', 'rm', '--force', ...names];
  await requireSuccess('Removing Docker volumes', {
    command: 'docker',
    args,
    environment,
    timeoutMs,
  });
}

function volumeName(dataDir: string, server: Server): string {
  const directory = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12);
  return `inventory-${directory}-${server}`;
}
