import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import timers from 'node:timers';
import { createLogger } from '@inventory/runtime/logger';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { connectMongo, guardPools, guardWrites } from '../src/connect.ts';

const options = { database: 'test_connect', service: 'test', logger: testLogger };

/** No server responds: the result is the same however short the timeout is. */
const impatient = 'directConnection=true&serverSelectionTimeoutMS=100&connectTimeoutMS=100';

/** A server in a container is reached at no address that it names itself. */
const withoutTimeouts = (uri: string) => `${uri.split('?')[0]}?directConnection=true`;

test('a connection has journaled majority writes, majority reads and timeouts', async () => {
  const { mongodbUri } = await openNamespace({ topics: false });
  const mongo = await connectMongo({ ...options, uri: withoutTimeouts(mongodbUri) });

  expect(mongo.db.databaseName).toBe('test_connect');
  expect(mongo.db.writeConcern).toMatchObject({ w: 'majority', journal: true });
  expect(mongo.db.readConcern).toMatchObject({ level: 'majority' });
  expect(mongo.db.readPreference.mode).toBe('primary');
  expect(mongo.db.client.options).toMatchObject({
    retryWrites: true,
    maxPoolSize: 10,
    minPoolSize: 2,
    serverSelectionTimeoutMS: 20_000,
    connectTimeoutMS: 5_000,
    waitQueueTimeoutMS: 5_000,
    socketTimeoutMS: 15_000,
  });
  await waitFor('it answers', async () => (await mongo.problem()) === null);
  await mongo.close();
  expect(await mongo.problem()).toBe('unavailable');
});

test.each([
  ['sockettimeoutms', '70000', { socketTimeoutMS: 70_000 }],
  ['serverSelectionTimeoutMS', '1500', { serverSelectionTimeoutMS: 1_500 }],
  ['maxPoolSize', '1', { maxPoolSize: 1, minPoolSize: 0 }],
  ['minPoolSize', '0', { maxPoolSize: 10, minPoolSize: 0 }],
  ['retryWrites', 'false', { retryWrites: false }],
])('%s of the connection string wins over the default', async (name, value, expected) => {
  const { mongodbUri } = await openNamespace({ topics: false });
  const uri = `${withoutTimeouts(mongodbUri)}&${name}=${value}`;

  const mongo = await connectMongo({ ...options, uri });

  expect(mongo.db.client.options).toMatchObject(expected);
  expect(await mongo.db.collection('things').insertOne({})).toMatchObject({ acknowledged: true });
  await mongo.close();
});

test('an unreachable server is an error without the password', async () => {
  const written: string[] = [];
  const logger = createLogger({
    service: 'test',
    level: 'trace',
    destination: { write: (line) => void written.push(line) },
  });
  const uri = `mongodb://user:hunter2@127.0.0.1:1/?${impatient}`;

  const failure: unknown = await connectMongo({ ...options, uri, logger }).catch(
    (error: unknown) => error,
  );

  logger.error({ err: failure }, 'could not start');
  expect(String(failure)).toContain('ECONNREFUSED');
  expect(written.join()).not.toContain('hunter2');
});

test('a server that accepts and never responds is an error too, not a hang', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;

  const uri = `mongodb://127.0.0.1:${port}/?${impatient}`;

  await expect(connectMongo({ ...options, uri })).rejects.toThrow();
  silent.close();
});

test('a server that stops responding during an operation ends it with an error', async () => {
  const { mongodbUri } = await openNamespace({ topics: false });
  const url = new URL(mongodbUri);
  const { hostname, port } = url;
  const sockets: Socket[] = [];
  let silent = false;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.push(from);
      from.on('error', () => {});
      from.on('data', (data) => {
        if (!silent) to.write(data);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  const patient = await connectMongo({ ...options, uri: url.href });
  // A slow server may miss so short a timeout: it is retried until it meets it.
  for (const name of ['serverSelectionTimeoutMS', 'connectTimeoutMS', 'socketTimeoutMS']) {
    url.searchParams.set(name, '3000');
  }
  const hasty = await waitFor('it answers in time', async () => {
    const connection = await connectMongo({ ...options, uri: url.href });
    if ((await connection.problem()) === null) return connection;
    await connection.close();
    return false;
  });

  silent = true;
  const inserting = hasty.db.collection('things').insertOne({ a: 1 });

  await expect(inserting).rejects.toThrow();
  // Readiness does not wait for the end of an operation.
  expect(await patient.problem()).toBe('unavailable');
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await Promise.all([patient.close(), hasty.close()]);
});

test.each([
  ['is destroyed', (socket: Socket): unknown => socket.destroy()],
  ['is ended', (socket: Socket): unknown => socket.end()],
] as const)(
  'a command on a connection that %s in this moment ends, at worst with the network to blame',
  async (_how, breakUp) => {
    const namespace = await openNamespace({ topics: false });
    const sockets: Socket[] = [];
    const onSocket = (message: unknown): void => {
      sockets.push((message as { socket: Socket }).socket);
    };
    diagnostics.subscribe('net.client.socket', onSocket);
    const mongo = await connectMongo({ ...options, uri: namespace.mongodbUri });
    const things = mongo.db.collection('things');
    await things.insertOne({});
    diagnostics.unsubscribe('net.client.socket', onSocket);

    // Their listeners are called only after this.
    for (const socket of sockets) breakUp(socket);
    const inserting = things.insertOne({}).then(
      () => 'written',
      ({ name }: Error) => name,
    );

    expect(['written', 'MongoNetworkError']).toContain(await inserting);
    const { acknowledged }: { acknowledged: boolean } = await things.insertOne({});
    expect(acknowledged).toBe(true);
    await mongo.close();
  },
);

test('a pool that has its least number of connections is not checked again', async () => {
  const { mongodbUri } = await openNamespace({ topics: false });
  const armed = jest.spyOn(timers, 'setTimeout');
  const ended = [timers, globalThis].map((owner) => jest.spyOn(owner, 'clearTimeout'));
  const mongo = await connectMongo({ ...options, uri: mongodbUri });

  await waitFor('each timer of a check is ended', () => {
    const checks = armed.mock.results.filter((_, at) => armed.mock.calls[at]?.[1] === 100);
    const endedOnes = new Set<unknown>(ended.flatMap(({ mock }) => mock.calls.flat()));
    return checks.length > 0 && checks.every(({ value }) => endedOnes.has(value));
  });

  for (const spy of [armed, ...ended]) spy.mockRestore();
  await mongo.close();
});

test.each([
  { guard: guardWrites, path: 'connection', owner: 'Connection', method: 'writeCommand' },
  {
    guard: guardPools,
    path: 'connection_pool',
    owner: 'ConnectionPool',
    method: 'ensureMinPoolSize',
  },
])('a driver without $method is refused', ({ guard, path, owner, method }) => {
  const { prototype } = require(`mongodb/lib/cmap/${path}`)[owner];
  const known = prototype[method];
  prototype[method] = undefined;

  expect(guard).toThrow('mongodb changed');

  prototype[method] = known;
});
