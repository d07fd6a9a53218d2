import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createLogger } from '@inventory/runtime/logger';
import { pause, withDeadline } from '@inventory/runtime/wait';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { connectMongo } from '../src/connect.ts';
import { guardWrites } from '../src/guard-writes.ts';

const options = { database: 'test_connect', service: 'test', logger: testLogger };

test('a connection writes to the majority and its journal, and reads what is decided', async () => {
  const namespace = await openNamespace({ topics: false });
  const mongo = await connectMongo({ ...options, uri: namespace.mongodbUri });

  expect(mongo.db.databaseName).toBe('test_connect');
  expect(mongo.db.writeConcern).toMatchObject({ w: 'majority', journal: true });
  expect(mongo.db.readConcern).toMatchObject({ level: 'majority' });
  expect(mongo.db.readPreference.mode).toBe('primary');
  expect(mongo.db.client.options).toMatchObject({
    retryWrites: true,
    maxPoolSize: 50,
    waitQueueTimeoutMS: 5_000,
    socketTimeoutMS: 15_000,
  });
  expect(await mongo.ping()).toBe(true);
  await mongo.close();
  expect(await mongo.ping()).toBe(false);
});

test.concurrent('a server that is not there is an error within seconds, and tells no password', async () => {
  const written: string[] = [];
  const logger = createLogger({
    service: 'test',
    level: 'trace',
    destination: { write: (line) => void written.push(line) },
  });
  const uri = 'mongodb://user:hunter2@127.0.0.1:1/?directConnection=true';
  const begunAt = performance.now();

  const failure: unknown = await connectMongo({ ...options, uri, logger }).catch(
    (error: unknown) => error,
  );

  logger.error({ err: failure }, 'could not start');
  expect(performance.now() - begunAt).toBeLessThan(9_000);
  expect(String(failure)).toContain('ECONNREFUSED');
  expect(written.join()).not.toContain('hunter2');
});

test.concurrent('a server that accepts and says nothing is an error too, not a hang', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const begunAt = performance.now();

  await expect(connectMongo({ ...options, uri })).rejects.toThrow();

  expect(performance.now() - begunAt).toBeLessThan(12_000);
  silent.close();
});

test.concurrent('a server that falls silent in the middle of an operation ends it with an error', async () => {
  const namespace = await openNamespace({ topics: false });
  const { hostname, port } = new URL(namespace.mongodbUri);
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
  const { port: proxyPort } = proxy.address() as AddressInfo;
  const uri = `mongodb://127.0.0.1:${proxyPort}/?directConnection=true`;
  const mongo = await connectMongo({ ...options, uri });
  expect(await mongo.ping()).toBe(true);

  silent = true;
  const begunAt = performance.now();
  const pinged = await Promise.race([mongo.ping(), pause(4_000).then(() => 'late')]);
  await expect(mongo.db.collection('things').insertOne({ a: 1 })).rejects.toThrow();
  const endedMs = performance.now() - begunAt;

  for (const socket of sockets) socket.destroy();
  proxy.close();
  await mongo.close();
  expect(pinged).toBe(false);
  expect(endedMs).toBeLessThan(40_000);
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

    // Their listeners are told only after this.
    for (const socket of sockets) breakUp(socket);
    const inserting = things.insertOne({}).then(
      () => 'written',
      ({ name }: Error) => name,
    );

    const outcome: string = await withDeadline(inserting, 20_000, 'the insert');
    expect(['written', 'MongoNetworkError']).toContain(outcome);
    const { acknowledged }: { acknowledged: boolean } = await things.insertOne({});
    expect(acknowledged).toBe(true);
    await mongo.close();
  },
);

test('a driver without the write that is guarded is refused, not used unguarded', () => {
  const { Connection } = require('mongodb/lib/cmap/connection');
  const { prototype } = Connection;
  const { writeCommand } = prototype;
  prototype.writeCommand = undefined;

  expect(guardWrites).toThrow('mongodb changed');

  prototype.writeCommand = writeCommand;
});
