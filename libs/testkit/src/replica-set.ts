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
export type Treatment =
  /** It is not executed, and answered with this. */
  | { readonly answer: Document }
  /** It is executed, and its answer changed, or late. */
  | { readonly changed: (answer: Document) => Document | Promise<Document> }
  /** It is executed, and its answer lost with the connection. */
  | 'answer lost'
  /** It is executed twice, as by a server that does not look at transaction numbers. */
  | 'twice';

export interface ReplicaSetOptions {
  /** The connection string of a server without a login. */
  readonly target: string;
  /** The port that clients connect to, where it is not the set's own. */
  readonly advertisedPort?: () => number;
  /** `undefined`: as the server treats it. */
  readonly treat?: (command: Document) => Treatment | undefined;
  /** How the set tells its time. */
  readonly localTime?: () => Date | number;
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
    uri: `mongodb://${address()}/?replicaSet=${setName}`,
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
  localTime: ReplicaSetOptions['localTime'] = () => new Date(),
) {
  const processId = new ObjectId();
  let counter = 0;
  let isElecting = false;
  let changed = new AbortController();
  const topologyVersion = () => ({ processId, counter: Long.fromNumber(counter) });

  function greeting(): Document {
    const me = address();
    return {
      ...{ ok: 1, helloOk: true, setName, setVersion: 1, hosts: [me], me },
      ...(isElecting ? {} : { primary: me }),
      isWritablePrimary: !isElecting,
      secondary: isElecting,
      topologyVersion: topologyVersion(),
      localTime: localTime(),
      ...{ minWireVersion: 0, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30 },
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
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
    /** At once, or when it changes; to a client that allows it one answer after the other. */
    async greet(client: Socket, received: ReceivedCommand): Promise<void> {
      const { maxAwaitTimeMS, topologyVersion: known } = received.command;
      const moreToCome = received.exhaustAllowed;
      let seen = known ? Number(known.counter) : null;
      do {
        if (seen === counter) await pause(maxAwaitTimeMS, changed.signal);
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
        ...{ ok: 0, errmsg: 'not primary', ...kind },
        ...{ topologyVersion: topologyVersion(), errorLabels },
      };
    },
  };
}

interface Relayed {
  /** Commands that the server has not answered. */
  readonly underWay: number;
}

interface RelaySettings extends Pick<Required<ReplicaSetOptions>, 'treat'> {
  readonly member: Member;
}

/** Relays one connection to the server. */
function relay(client: Socket, target: string, { member, treat }: RelaySettings): Relayed {
  const { hostname, port } = new URL(target);
  const server = connect({ host: hostname, port: Number(port), noDelay: true });
  const treatments = new Map<number, Treatment>();
  let underWay = 0;
  client.on('error', () => undefined).on('close', () => server.destroy());
  server.on('error', () => undefined).on('close', () => client.destroy());

  function receive(message: Buffer): void {
    const received = readCommand(message);
    const { command, requestId } = received;
    const [name = ''] = Object.keys(command);
    if (greetings.has(name)) {
      void member.greet(client, received);
      return;
    }
    const refused = member.isElecting && !harmless.has(name);
    const treatment = refused ? { answer: member.refusal(name, command) } : treat(command);
    if (typeof treatment === 'object' && 'answer' in treatment) {
      client.write(replyMessage(received, treatment.answer));
      return;
    }
    underWay += 1;
    if (treatment !== undefined) treatments.set(requestId, treatment);
    if (treatment === 'twice') server.write(withoutNumber(received));
    server.write(treatment === 'twice' ? withoutNumber(received) : message);
  }

  async function respond(message: Buffer): Promise<void> {
    const { requestId, answer } = readReply(message);
    const treatment = treatments.get(requestId);
    treatments.delete(requestId);
    // The answer to the first of two executions is dropped.
    if (treatment === 'twice') return;
    underWay -= 1;
    if (treatment === 'answer lost') client.destroy();
    else if (typeof treatment === 'object' && 'changed' in treatment) {
      const changed = await treatment.changed(answer);
      if (client.writable) client.write(replyMessage({ requestId, isQuery: false }, changed));
    } else client.write(message);
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
