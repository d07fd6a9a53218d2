import { type TlsIdentity, tlsConnectOptions } from '@inventory/runtime/tls-identity';
import { pause } from '@inventory/runtime/wait';
import { type Document, MongoClient } from 'mongodb';
import { messageOf } from './setup-error.ts';

/** With `directConnection` the driver uses this node and discovers no other. */
export function singleNodeUri(host: string, port: number): string {
  return `mongodb://${host}:${port}/?directConnection=true`;
}

/** Rejects when the server does not respond to a ping in time. */
export async function pingMongodb(uri: string, timeoutMs: number): Promise<void> {
  await adminCommand(uri, timeoutMs, { ping: 1 });
}

/**
 * Resolves with a problem once the storage engine refuses to continue, as after a write to a full
 * disk. MongoDB ends then. SecantusDB responds to pings, and every other command with this error.
 */
export async function watchForPanic(
  uri: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  for (;;) {
    await pause(panicPollMs, signal);
    if (signal.aborted) return null;
    const failure = await adminCommand(uri, timeoutMs, { dbStats: 1 }).catch(messageOf);
    if (typeof failure === 'string' && failure.includes('WT_PANIC')) return `failed (${failure})`;
  }
}

/** Name and version, for example `SecantusDB 0.6.0b17, speaking MongoDB 8.2.11`. */
export async function mongodbVersion(
  uri: string,
  timeoutMs: number,
  tls?: TlsIdentity,
): Promise<string> {
  const info = await adminCommand(uri, timeoutMs, { buildInfo: 1 }, tls);
  const spoken = String(info['version']);
  const secantus: unknown = info['secantusVersion'];
  return typeof secantus === 'string'
    ? `SecantusDB ${secantus}, speaking MongoDB ${spoken}`
    : `MongoDB ${spoken}`;
}

/**
 * Makes a new mongod the primary of a replica set of one. One whose data were written on another
 * port is not in its stored configuration and gets the new address.
 */
export async function ensurePrimary(uri: string, set: ReplicaSet): Promise<void> {
  const members = [{ _id: 0, host: set.host }];
  const hello = await adminCommand(uri, set.timeoutMs, { hello: 1 });
  if (hello['isWritablePrimary'] === true) return;
  if (hello['setName'] === undefined) {
    const stored = await adminCommand(uri, set.timeoutMs, { replSetGetConfig: 1 }).catch(
      () => null,
    );
    if (stored === null) {
      const config = { _id: set.name, members };
      await adminCommand(uri, set.timeoutMs, { replSetInitiate: config });
    } else {
      const config = {
        ...stored['config'],
        members,
        version: Number(stored['config'].version) + 1,
      };
      await adminCommand(uri, set.timeoutMs, { replSetReconfig: config, force: true });
    }
  }
  await pause(primaryPollMs);
  throw new Error('the node is not primary yet');
}

export interface ReplicaSet {
  readonly name: string;
  readonly host: string;
  readonly timeoutMs: number;
}

const primaryPollMs = 100;
const panicPollMs = 2_000;

async function adminCommand(
  uri: string,
  timeoutMs: number,
  command: Document,
  tls?: TlsIdentity,
): Promise<Document> {
  const client = new MongoClient(uri, {
    ...(tls ? { tls: true, ...tlsConnectOptions(tls) } : {}),
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
    maxPoolSize: 1,
  });
  try {
    return await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}
