import { monotonicNow } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { MongodbAccess } from '@inventory/runtime/mongodb-access';
import { tlsConnectOptions } from '@inventory/runtime/tls-identity';
import { withDeadline } from '@inventory/runtime/wait';
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { z } from 'zod';
import { guardPools } from './guard-pools.ts';
import { guardWrites } from './guard-writes.ts';
import { electionMaxMs, observeSet, type SetProblem } from './observe-set.ts';

export interface MongoOptions extends MongodbAccess {
  readonly database: string;
  readonly service: string;
  readonly logger: Logger;
  /** Connections to the primary at most; `maxPoolSize` of the connection string wins. */
  readonly connectionsMax?: number;
}

export interface MongoConnection {
  readonly db: Db;
  /** What keeps the server from serving; for readiness. Null while nothing does. */
  problem(): Promise<SetProblem | null>;
  close(): Promise<void>;
}

const pingDeadlineMs = 2_000;
const connectionsDefault = 10;
const connectionsMin = 2;

/**
 * Connects with journaled majority writes and reads from the primary, on which every decision
 * depends. Every operation has a timeout, so that an unreachable server is an error and never a
 * hang. An operation that meets an election waits for the next primary, as long as elections take;
 * what cannot wait as long has a deadline of its own. The connection string may override the timeouts,
 * the size of the pool and whether writes are retried.
 */
export async function connectMongo(options: MongoOptions): Promise<MongoConnection> {
  guardPools();
  guardWrites();
  const client = new MongoClient(options.uri, {
    ...(options.tls ? { tls: true, ...tlsConnectOptions(options.tls) } : {}),
    appName: options.service,
    writeConcern: { w: 'majority', journal: true },
    readConcernLevel: 'majority',
    readPreference: 'primary',
    ...settingsFor(options),
  });
  client.on('serverClosed', () => options.logger.debug('a MongoDB server connection closed'));
  const db = client.db(options.database);
  const ping = () => withDeadline(db.command({ ping: 1 }), pingDeadlineMs, 'ping');
  const { problem } = observeSet(client, ping, monotonicNow);
  await client.connect();
  return { db, problem, close: () => client.close() };
}

/** Those that the connection string does not make; its option names are case-insensitive. */
function settingsFor({
  uri,
  connectionsMax = connectionsDefault,
}: MongoOptions): MongoClientOptions {
  const [, query = ''] = uri.split('?');
  const given = new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
  const pool = { maxPoolSize: connectionsMax, minPoolSize: connectionsMin };
  const settings: MongoClientOptions = {
    retryWrites: true,
    serverSelectionTimeoutMS: electionMaxMs,
    connectTimeoutMS: 5_000,
    waitQueueTimeoutMS: 5_000,
    socketTimeoutMS: 15_000,
    // A smaller pool may have no room for this minimum.
    ...(given.has('maxpoolsize') ? {} : pool),
  };
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => !given.has(name.toLowerCase())),
  );
}

const hello = z.object({ localTime: z.union([z.date(), z.number()]) });

/** The clock of the primary, in milliseconds since the epoch. Some servers tell it as a number. */
export async function readStoreTime(db: Db): Promise<number> {
  return hello.parse(await db.command({ hello: 1 })).localTime.valueOf();
}
