import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { openCertificateDirectory } from '@inventory/testkit/certificates';
import {
  explicitRetry,
  guardIdleTimers,
  guardJoins,
  guardSeeks,
  lowLatencySockets,
  patientRetry,
} from './guards.ts';

type RetryDefaults = Record<string, number>;

test('no retry setting is left to a default that differs under NODE_ENV=test', () => {
  const defaults: RetryDefaults = require('kafkajs/src/retry/defaults');
  const underTest: RetryDefaults = require('kafkajs/src/retry/defaults.test');
  const settings = new Set([...Object.keys(defaults), ...Object.keys(underTest)]);

  expect(Object.keys(explicitRetry).toSorted()).toEqual([...settings].toSorted());
  expect(Object.keys(patientRetry).toSorted()).toEqual([...settings].toSorted());
  // The defect itself: when this fails, the client has changed and the workaround can go.
  expect(underTest).not.toEqual(defaults);
});

test('sockets send small writes at once, detect dead peers and report that they connect', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const noDelay = jest.spyOn(net.Socket.prototype, 'setNoDelay');
  const keepAlive = jest.spyOn(net.Socket.prototype, 'setKeepAlive');
  const connecting = jest.fn();
  const connected = jest.fn();

  const socket = lowLatencySockets(connecting)({
    host: '127.0.0.1',
    port,
    ssl: undefined as never,
    onConnect: connected,
  });
  await once(socket, 'connect');

  expect(connecting).toHaveBeenCalledTimes(1);
  expect(connected).toHaveBeenCalledTimes(1);
  expect(noDelay).toHaveBeenCalledWith(true);
  expect(keepAlive).toHaveBeenCalledWith(true, 60_000);
  noDelay.mockRestore();
  keepAlive.mockRestore();
  socket.destroy();
  server.close();
});

test('over TLS the server name of a broker is sent, an address is not', async () => {
  const folder = openCertificateDirectory();
  const authority = folder.newAuthority('authority');
  const { certificateFile, keyFile } = authority.issue('broker');
  const keyAndCertificate = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
  const server = tls.createServer(keyAndCertificate).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ssl = { ca: readFileSync(authority.certificateFile) };
  const named: unknown[] = [];

  for (const host of ['localhost', '127.0.0.1']) {
    const socket = lowLatencySockets()({ host, port, ssl, onConnect: () => {} });
    const [accepted] = await once(server, 'secureConnection');
    named.push(accepted.servername);
    socket.destroy();
  }

  server.close();
  folder.remove();
  expect(named).toEqual(['localhost', false]);
});

describe('the guarded request queue', () => {
  const RequestQueue = require('kafkajs/src/network/requestQueue');
  const logger = { debug() {}, warn() {} };
  const newQueue = (maxInFlightRequests: number | null, given: object = {}) =>
    new RequestQueue({
      maxInFlightRequests,
      requestTimeout: 1_000,
      enforceRequestTimeout: false,
      clientId: 'c',
      broker: 'b',
      logger,
      ...given,
    });
  const request = (correlationId: number, sent: number[]) => ({
    entry: { correlationId, resolve() {}, reject() {} },
    expectResponse: true,
    sendRequest: () => void sent.push(correlationId),
  });

  beforeAll(() => {
    guardIdleTimers();
    guardIdleTimers();
  });
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('arms no timer while nothing is pending', () => {
    const queue = newQueue(null);

    queue.checkPendingRequests();

    expect(jest.getTimerCount()).toBe(0);
  });

  test('sends throttled requests when the throttle ends', async () => {
    const sent: number[] = [];
    const queue = newQueue(null);
    queue.maybeThrottle(500);

    queue.push(request(1, sent));
    await jest.advanceTimersByTimeAsync(490);
    expect(sent).toEqual([]);
    await jest.advanceTimersByTimeAsync(40);

    expect(sent).toEqual([1]);
    queue.fulfillRequest({ correlationId: 1, payload: null, size: 0 });
    expect(jest.getTimerCount()).toBe(0);
  });

  test('sends requests held back by the in-flight limit, in order', () => {
    const sent: number[] = [];
    const queue = newQueue(1);
    for (const id of [1, 2, 3]) queue.push(request(id, sent));
    expect(sent).toEqual([1]);

    queue.fulfillRequest({ correlationId: 1, payload: null, size: 0 });
    queue.fulfillRequest({ correlationId: 2, payload: null, size: 0 });

    expect(sent).toEqual([1, 2, 3]);
  });

  test('rejects a request when it times out, and checks no sooner, until the connection ends', async () => {
    let connected = true;
    const timeouts = { requestTimeout: 10_000, enforceRequestTimeout: true };
    const queue = newQueue(null, { ...timeouts, isConnected: () => connected });
    const rejected: unknown[] = [];
    const entry = {
      correlationId: 1,
      resolve() {},
      reject: (error: unknown) => rejected.push(error),
    };
    const armed = jest.spyOn(globalThis, 'setTimeout');

    queue.scheduleRequestTimeoutCheck();
    await jest.advanceTimersByTimeAsync(4_000);
    queue.push({ ...request(1, []), entry });
    await jest.advanceTimersByTimeAsync(9_999);
    expect(rejected).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);

    expect(rejected).toEqual([expect.objectContaining({ name: 'KafkaJSRequestTimeoutError' })]);
    expect(armed.mock.calls.map(([, afterMs]) => afterMs)).toEqual([10_000, 4_000, 10_000]);
    connected = false;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});

test('the partitions of a response that have no record cost no key, no batch and no worker', async () => {
  guardJoins();
  guardSeeks();
  const { prototype } = require('kafkajs/src/consumer/consumerGroup');
  const SeekOffsets = require('kafkajs/src/consumer/seekOffsets');
  const seekOffset = new SeekOffsets();
  const key = jest.spyOn(seekOffset, 'getKey');
  const partitions = [0, 1, 2];
  const messagesOf = (partition: number) => (partition === 1 ? [{ offset: '7' }] : []);
  const responses = partitions.map((partition) => ({
    ...{ partition, highWatermark: '8', abortedTransactions: [] },
    messages: messagesOf(partition),
  }));
  const broker = {
    fetch: async () => ({ responses: [{ topicName: 't', partitions: responses }] }),
  };
  const group = Object.assign(Object.create(prototype), {
    cluster: { refreshMetadataIfNecessary() {}, findBroker: async () => broker },
    subscriptionState: { assigned: () => [{ topic: 't', partitions }], isPaused: () => false },
    filterPartitionsByNode: (_node: number, assigned: unknown) => assigned,
    getActiveTopicPartitions: () => ({ t: new Set(partitions) }),
    offsetManager: { committedOffsets: () => ({ t: ['7', '7', '7'] }), nextOffset: () => '7' },
    preferredReadReplicasPerTopicPartition: {},
    ...{ seekOffset, seekOffsets() {}, checkForStaleAssignment() {} },
  });

  const batches: { partition: number }[] = await group.fetch(0);

  expect(batches.map(({ partition }) => partition)).toEqual([1]);
  expect(key).not.toHaveBeenCalled();
  seekOffset.set('t', 1, '5');
  expect(await group.fetch(0)).toEqual([]);
});

test.each([
  {
    guard: guardIdleTimers,
    path: 'kafkajs/src/network/requestQueue',
    method: 'scheduleCheckPendingRequests',
  },
  {
    guard: guardIdleTimers,
    path: 'kafkajs/src/network/requestQueue',
    method: 'scheduleRequestTimeoutCheck',
  },
  { guard: guardJoins, path: 'kafkajs/src/consumer/consumerGroup', method: 'joinAndSync' },
  { guard: guardJoins, path: 'kafkajs/src/consumer/consumerGroup', method: 'fetch' },
  { guard: guardSeeks, path: 'kafkajs/src/consumer/seekOffsets', method: 'has' },
])('a client without $method is refused at start-up, not run unguarded', (row) => {
  const { prototype } = require(row.path);
  const known = prototype[row.method];
  prototype[row.method] = undefined;

  expect(row.guard).toThrow('kafkajs changed');

  prototype[row.method] = known;
});
