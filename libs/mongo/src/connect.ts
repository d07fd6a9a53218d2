import { invariant } from '@inventory/runtime/bug';
import { monotonicNow } from '@inventory/runtime/clock';
import { guardMethods } from '@inventory/runtime/guard-methods';
import type { Logger } from '@inventory/runtime/logger';
import type { MongodbAccess } from '@inventory/runtime/mongodb-access';
import { tlsConnectOptions } from '@inventory/runtime/tls-identity';
import { withDeadline } from '@inventory/runtime/wait';
import {
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoNetworkError,
} from 'mongodb';
import { z } from 'zod';
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
    // A smaller pool may be below this minimum.
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

/** The used part of the driver's pool. */
interface DriverPool {
  readonly totalConnectionCount: number;
  readonly options: { readonly minPoolSize: number };
  readonly minPoolSizeTimer: NodeJS.Timeout | undefined;
}

interface PoolClass {
  readonly prototype: { ensureMinPoolSize(this: DriverPool): void };
}

/**
 * The driver (7.9.0) checks ten times a second whether a pool has its least number of connections, and
 * takes no setting for it: a third of the wakes of an idle process. Here it checks until the pool has
 * them, and again after the pool was cleared. A connection that has ended is dropped when it would be
 * used.
 */
export function guardPools(): void {
  const poolModule: unknown = require('mongodb/lib/cmap/connection_pool');
  const { ConnectionPool } = poolModule as { readonly ConnectionPool: PoolClass };
  guardMethods('mongodb', ConnectionPool.prototype, ({ ensureMinPoolSize }) => ({
    ensureMinPoolSize() {
      ensureMinPoolSize.call(this);
      if (this.totalConnectionCount >= this.options.minPoolSize) {
        clearTimeout(this.minPoolSizeTimer);
      }
    },
  }));
}

/** The used part of the driver's connection, which emits `close`. */
interface DriverConnection {
  readonly error: Error | null;
  once(event: 'close', listener: () => void): void;
  off(event: 'close', listener: () => void): void;
}

interface ConnectionClass {
  readonly prototype: {
    writeCommand(this: DriverConnection, ...command: unknown[]): Promise<void>;
  };
}

/**
 * Between the end of a socket and its `close` event the driver (7.9.0) still uses the connection. A
 * command written then waits for the socket to drain, for ever, past every timeout. Here the end of
 * the connection ends the write too. The socket's error becomes the driver's network error, so that
 * retryable commands are retried.
 */
export function guardWrites(): void {
  const connectionModule: unknown = require('mongodb/lib/cmap/connection');
  const { Connection } = connectionModule as { readonly Connection: ConnectionClass };
  guardMethods('mongodb', Connection.prototype, ({ writeCommand }) => ({
    async writeCommand(...command) {
      const closed = Promise.withResolvers<never>();
      const onClose = () => {
        invariant(this.error !== null, 'a closed connection has an error');
        closed.reject(this.error);
      };
      this.once('close', onClose);
      try {
        await Promise.race([writeCommand.apply(this, command), closed.promise]);
      } catch (error) {
        throw isSystemError(error) ? new MongoNetworkError(error.message, { cause: error }) : error;
      } finally {
        this.off('close', onClose);
      }
    },
  }));
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && !(error instanceof MongoError);
}
