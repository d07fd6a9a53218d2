import type { MongodbServer, ServerSearch } from './mongodb-server.ts';
import { ProvisionError } from './provision-error.ts';
import { runCommand } from './run-command.ts';

const answerDeadlineMs = 20_000;

/** The version of the `mongod` on the path; null when there is none that runs. */
export async function mongodVersion(search: ServerSearch): Promise<string | null> {
  const result = await runCommand({
    command: 'mongod',
    args: ['--version'],
    environment: search.environment,
    deadlineMs: answerDeadlineMs,
    signal: search.signal,
  });
  if (result.kind !== 'ended' || result.code !== 0) return null;
  return /db version v(\S+)/.exec(result.output)?.[1] ?? null;
}

/** MongoDB itself, as a replica set of one node. */
export async function provideMongod(search: ServerSearch): Promise<MongodbServer> {
  const version = await mongodVersion(search);
  if (version === null)
    throw new ProvisionError('no working `mongod` is on the PATH: install MongoDB');
  return {
    build: 'mongod',
    name: `MongoDB ${version}`,
    command: 'mongod',
    args: (port) => [
      '--replSet',
      replicaSetName,
      '--bind_ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--dbpath',
      'data',
      '--wiredTigerCacheSizeGB',
      '0.5',
    ],
  };
}

export const replicaSetName = 'rs0';
