import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pause } from '@inventory/runtime/wait';
import { type Document, Long, type MongoClient, ObjectId } from 'mongodb';
import {
  commandMessage,
  createMessageReader,
  type ReceivedCommand,
  readCommand,
  readReply,
  replyMessage,
} from './mongodb-wire.ts';

/** What happens to one command, where not what the server does. */
export interface Treatment {
  /** It is not executed, and its reply is this. */
  readonly response?: Document;
  /** It is executed twice, as by a server that does not check transaction numbers. */
  readonly isTwice?: boolean;
  /** Its reply is changed, or late. */
  readonly changed?: (reply: Document) => Document | Promise<Document>;
  /** Its reply is lost with the connection. */
  readonly isLost?: boolean;
}

export interface ReplicaSetOptions {
  /** The connection string of one server, without TLS. */
  readonly target: string;
  /** The port that clients connect to, where it is not the set's own. */
  readonly advertisedPort?: () => number;
  /** `undefined`: as the server treats it. */
  readonly treat?: (command: Document) => Treatment | undefined;
  /** How the set tells its time. */
  readonly localTime?: (serverTime: Date) => Date | number;
}

/**
 * A replica set of one member in front of a server, which elects as one of several does: without a
 * primary it names itself a secondary and refuses commands, and ends the connections on which one
 * was under way.
 */
export interface TestReplicaSet {
  readonly uri: string;
  readonly port: number;
  beginElection(): void;
  endElection(): void;
  close(): Promise<void>;
}

const host = '127.0.0.1';
const setName = 'test-set';
const greetings: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster']);
/** What a secondary serves. */
const harmless: ReadonlySet<string> = new Set(['ping', 'endSessions', 'killCursors']);
const reads: ReadonlySet<string> = new Set([
  'aggregate',
  'count',
  'distinct',
  'find',
  'getMore',
  'listIndexes',
]);

export async function openReplicaSet(options: ReplicaSetOptions): Promise<TestReplicaSet> {
  const { target, advertisedPort, treat = () => undefined, localTime } = options;
  const { username, password, searchParams } = new URL(target);
  const login = username === '' ? '' : `${username}:${password}@`;
  searchParams.delete('directConnection');
  searchParams.set('replicaSet', setName);
  const clients = new Map<Socket, Relayed>();
  const server = createServer({ noDelay: true }, (client) => {
    clients.set(client, relay(client, target, { member, treat }));
    client.on('close', () => clients.delete(client));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = () => `${host}:${advertisedPort?.() ?? port}`;
  const member = createMember(address, localTime);

  return {
    uri: `mongodb://${login}${address()}/?${searchParams}`,
    port,
    beginElection() {
      member.elect(true);
      for (const [client, { underWay }] of clients) {
        if (underWay > 0) client.destroy();
      }
    },
    endElection: () => member.elect(false),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const client of clients.keys()) client.destroy();
      member.elect(!member.isElecting);
      await closed;
    },
  };
}

/** From its second heartbeat on a client hears of each change at once; before, after ten seconds. */
export async function untilHearing(client: MongoClient): Promise<void> {
  const hearing = Promise.withResolvers<void>();
  client.on('serverHeartbeatStarted', ({ awaited }) => void (awaited && hearing.resolve()));
  await hearing.promise;
}

/** The state of the member, and what it says of it. */
type Member = ReturnType<typeof createMember>;

function createMember(
  address: () => string,
  localTime: ReplicaSetOptions['localTime'] = (serverTime) => serverTime,
) {
  const processId = new ObjectId();
  let counter = 0;
  let isElecting = false;
  let changed = new AbortController();
  let versions: Document = {};
  const topologyVersion = () => ({ processId, counter: Long.fromNumber(counter) });

  function greeting(): Document {
    const me = address();
    return {
      ok: 1,
      helloOk: true,
      setName,
      setVersion: 1,
      hosts: [me],
      me,
      ...(isElecting ? {} : { primary: me }),
      isWritablePrimary: !isElecting,
      secondary: isElecting,
      topologyVersion: topologyVersion(),
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      ...versions,
    };
  }

  return {
    get isElecting() {
      return isElecting;
    },
    elect(isBegun: boolean): void {
      isElecting = isBegun;
      counter += 1;
      changed.abort();
      changed = new AbortController();
    },
    /** The first greeting of the server on a connection, as one of this member. */
    greetingOf(reply: Document): Document {
      const { minWireVersion, maxWireVersion, logicalSessionTimeoutMinutes } = reply;
      versions = { minWireVersion, maxWireVersion, logicalSessionTimeoutMinutes };
      const { saslSupportedMechs, speculativeAuthenticate } = reply;
      const login = { saslSupportedMechs, speculativeAuthenticate };
      return { ...login, ...greeting(), localTime: localTime(reply['localTime']) };
    },
    /** When it changes; to a client that allows it one reply after the other. */
    async greetAgain(client: Socket, received: ReceivedCommand): Promise<void> {
      const { maxAwaitTimeMS, topologyVersion: known } = received.command;
      const moreToCome = received.exhaustAllowed;
      let seen: number | null = Number(known.counter);
      do {
        if (seen === counter) await pause(Number(maxAwaitTimeMS), changed.signal);
        seen = counter;
        if (client.writable) client.write(replyMessage({ ...received, moreToCome }, greeting()));
      } while (moreToCome && client.writable);
    },
    refusal(name: string, { txnNumber }: Document): Document {
      const kind = reads.has(name)
        ? { code: 13_435, codeName: 'NotPrimaryNoSecondaryOk' }
        : { code: 10_107, codeName: 'NotWritablePrimary' };
      const errorLabels = txnNumber === undefined ? [] : ['RetryableWriteError'];
      return {
        ok: 0,
        errmsg: 'not primary',
        ...kind,
        topologyVersion: topologyVersion(),
        errorLabels,
      };
    },
  };
}

interface Relayed {
  /** Commands without a reply of the server. */
  readonly underWay: number;
}

interface RelaySettings extends Pick<Required<ReplicaSetOptions>, 'treat'> {
  readonly member: Member;
}

/** Relays one connection to the server. */
function relay(client: Socket, target: string, { member, treat }: RelaySettings): Relayed {
  const { hostname, port } = new URL(target);
  const server = connect({ host: hostname, port: Number(port), noDelay: true });
  const treatments = new Map<number, Treatment & Pick<ReceivedCommand, 'isQuery'>>();
  let underWay = 0;
  client.on('error', () => undefined).on('close', () => server.destroy());
  server.on('error', () => undefined).on('close', () => client.destroy());

  function treatmentOf(name: string, command: Document): Treatment | undefined {
    if (greetings.has(name)) return { changed: member.greetingOf };
    const isRefused = member.isElecting && !harmless.has(name);
    return isRefused ? { response: member.refusal(name, command) } : treat(command);
  }

  function receive(message: Buffer): void {
    const received = readCommand(message);
    const { command, requestId, isQuery } = received;
    const [name = ''] = Object.keys(command);
    if (greetings.has(name) && command['topologyVersion']) {
      void member.greetAgain(client, received);
      return;
    }
    const treatment = treatmentOf(name, command);
    if (treatment?.response) {
      client.write(replyMessage(received, treatment.response));
      return;
    }
    underWay += 1;
    if (treatment !== undefined) treatments.set(requestId, { ...treatment, isQuery });
    if (treatment?.isTwice) server.write(withoutNumber(received));
    server.write(treatment?.isTwice ? withoutNumber(received) : message);
  }

  async function respond(message: Buffer): Promise<void> {
    const { requestId, reply } = readReply(message);
    const treatment = treatments.get(requestId);
    // The reply to the first of two executions is dropped.
    if (treatment?.isTwice) return void treatments.set(requestId, { ...treatment, isTwice: false });
    treatments.delete(requestId);
    underWay -= 1;
    if (treatment?.isLost) return void client.destroy();
    if (!treatment?.changed) return void client.write(message);
    const changed = await treatment.changed(reply);
    if (client.writable) client.write(replyMessage({ ...treatment, requestId }, changed));
  }

  client.on('data', createMessageReader(receive));
  server.on(
    'data',
    createMessageReader((message) => void respond(message)),
  );
  return {
    get underWay() {
      return underWay;
    },
  };
}

function withoutNumber({ command, ...received }: ReceivedCommand): Buffer {
  const { txnNumber: _number, ...unnumbered } = command;
  return commandMessage({ ...received, command: unnumbered });
}

/**
 * As a server of the protocol behaves that is not MongoDB: it has no time of its own in a filter, and
 * names no field of a violated unique index.
 */
export function asAnotherServer(command: Document): Treatment {
  if (filtersOf(command).some((filter) => JSON.stringify(filter).includes('$$NOW'))) {
    return { response: { ok: 0, code: 9, codeName: 'FailedToParse', errmsg: 'no $$NOW here' } };
  }
  return {
    changed({ keyPattern: _pattern, keyValue: _value, writeErrors, ...reply }) {
      const errors = writeErrors?.map(({ index, code, errmsg }: Document) => ({
        index,
        code,
        errmsg,
      }));
      return errors ? { ...reply, writeErrors: errors } : reply;
    },
  };
}

/** As a server that does not recognise a write whose reply was lost: it executes each one twice. */
export function asForgetful({ txnNumber }: Document): Treatment {
  return txnNumber === undefined ? {} : { isTwice: true };
}

function filtersOf({ filter, query, updates = [], deletes = [] }: Document): unknown[] {
  const ofWrites = [...updates, ...deletes].map(({ q }) => q);
  return [filter, query, ...ofWrites].filter((one) => one !== undefined);
}
