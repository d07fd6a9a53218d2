import type { Logger } from '@inventory/runtime/logger';
import type { MongodbAccess } from '@inventory/runtime/mongodb-access';
import { tlsConnectOptions } from '@inventory/runtime/tls-identity';
import { withDeadline } from '@inventory/runtime/wait';
import { type Db, MongoClient } from 'mongodb';
import { z } from 'zod';
import { guardPools } from './guard-pools.ts';
import { guardWrites } from './guard-writes.ts';

export interface MongoOptions extends MongodbAccess {
  readonly database: string;
  readonly service: string;
  readonly logger: Logger;
}

export interface MongoConnection {
  readonly db: Db;
  /** Whether the server responds; for readiness. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

const pingDeadlineMs = 2_000;

/**
 * Connects with journaled majority writes and reads from the primary, on which every decision
 * depends. Every operation has a timeout, so that an unreachable server is an error and never a
 * hang; the connection string may override the timeouts.
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
    retryWrites: true,
    ...unlessGiven(options.uri, {
      serverSelectionTimeoutMS: 5_000,
      connectTimeoutMS: 5_000,
      waitQueueTimeoutMS: 5_000,
      socketTimeoutMS: 15_000,
    }),
    maxPoolSize: 50,
    minPoolSize: 2,
  });
  client.on('serverClosed', () => options.logger.debug('a MongoDB server connection closed'));
  await client.connect();
  const db = client.db(options.database);
  return {
    db,
    async ping() {
      try {
        await withDeadline(db.command({ ping: 1 }), pingDeadlineMs, 'ping');
        return true;
      } catch {
        return false;
      }
    },
    close: () => client.close(),
  };
}

const hello = z.object({ localTime: z.date() });

/** The clock of the primary, in milliseconds since the epoch. */
export async function readStoreTime(db: Db): Promise<number> {
  return hello.parse(await db.command({ hello: 1 })).localTime.getTime();
}

/** Limits that the connection string does not set; its option names are case-insensitive. */
function unlessGiven<Limits extends object>(uri: string, limits: Limits): Partial<Limits> {
  const [, query = ''] = uri.split('?');
  const given = new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(limits).filter(([name]) => !given.has(name.toLowerCase())),
  ) as Partial<Limits>;
}
