import type { MongodbServer } from './mongodb-server.ts';
import { outputOf } from './run-command.ts';
import type { NativeStart } from './started-backend.ts';

export const replicaSetName = 'rs0';
export const mongodStorage = 'mongod';
const timeoutMs = 20_000;

/** Of every mongod, native or in a container. */
export const mongodArgs = ['--replSet', replicaSetName, '--wiredTigerCacheSizeGB', '0.5'] as const;

/** MongoDB itself, as a replica set of one node; null when no `mongod` on the PATH runs. */
export async function findMongod(start: NativeStart): Promise<MongodbServer | null> {
  const { environment, signal } = start;
  const args = ['--version'];
  const output = await outputOf({ command: 'mongod', args, environment, timeoutMs, signal });
  const version = /db version v(\S+)/.exec(output ?? '')?.[1];
  if (version === undefined) return null;
  return {
    title: `MongoDB ${version}`,
    storage: mongodStorage,
    command: 'mongod',
    args: (port) => [
      ...mongodArgs,
      '--bind_ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--dbpath',
      mongodStorage,
    ],
    isReplicaSet: true,
  };
}
