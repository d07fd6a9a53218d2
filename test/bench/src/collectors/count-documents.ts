import { type CommandStartedEvent, type CommandSucceededEvent, MongoClient } from 'mongodb';

/** Documents that went between one client and the server since it was opened. */
export interface DocumentCount {
  readonly client: MongoClient;
  /** In replies of queries. */
  read: number;
  /** Inserted, and matched by updates and deletes. */
  written: number;
  /** Operations that wait for a connection or use one. */
  inFlight: number;
}

interface Reply {
  readonly cursor?: {
    readonly firstBatch?: readonly unknown[];
    readonly nextBatch?: readonly unknown[];
  };
  readonly n?: number;
}

const writes: readonly CommandStartedEvent['commandName'][] = ['insert', 'update', 'delete'];

/** A client whose driver reports every command that succeeded. */
export async function countDocuments(uri: string): Promise<DocumentCount> {
  // What is counted does not depend on how durable it is.
  const client = await MongoClient.connect(uri, {
    monitorCommands: true,
    maxPoolSize: 10,
    writeConcern: { w: 1, journal: false },
  });
  const count: DocumentCount = { client, read: 0, written: 0, inFlight: 0 };
  const add = (more: number) => () => {
    count.inFlight += more;
  };
  client.on('connectionCheckOutStarted', add(1));
  client.on('connectionCheckOutFailed', add(-1));
  client.on('connectionCheckedIn', add(-1));
  client.on('commandSucceeded', ({ commandName, reply }: CommandSucceededEvent) => {
    const { cursor, n = 0 } = reply as Reply;
    count.read += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
    if (writes.includes(commandName)) count.written += n;
  });
  return count;
}
