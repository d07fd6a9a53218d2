import type { Logger } from '@inventory/runtime/logger';
import type { MongodbAccess } from '@inventory/runtime/mongodb-access';
import { tlsConnectOptions } from '@inventory/runtime/tls-identity';
import { withDeadline } from '@inventory/runtime/wait';
import { type Db, MongoClient } from 'mongodb';
import { guardWrites } from './guard-writes.ts';

export interface MongoOptions extends MongodbAccess {
  readonly database: string;
  readonly service: string;
  readonly logger: Logger;
}

export interface MongoConnection {
  readonly db: Db;
  /** Whether the server answers now; for readiness. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

const defaultTimeoutMs = 5_000;
const pingDeadlineMs = 2_000;

/**
 * Connects with what every decision here needs: majority writes in the journal and reads from the
 * primary. Every operation has a deadline, so that a lost server is an error and never a hang.
 */
export async function connectMongo(options: MongoOptions): Promise<MongoConnection> {
  guardWrites();
  const { timeoutMs = defaultTimeoutMs } = options;
  const client = new MongoClient(options.uri, {
    ...(options.tls ? { tls: true, ...tlsConnectOptions(options.tls) } : {}),
    appName: options.service,
    writeConcern: { w: 'majority', journal: true },
    readConcernLevel: 'majority',
    readPreference: 'primary',
    retryWrites: true,
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: timeoutMs,
    socketTimeoutMS: 3 * timeoutMs,
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
