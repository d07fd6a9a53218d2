import { connect, createServer } from 'node:net';
import { findFreePort } from '@inventory/backends/free-port';
import { countBrokers } from '@inventory/messaging/kafka/count-brokers';
import { connectMongo } from '@inventory/mongo/connect';
import { createLogger } from '@inventory/runtime/logger';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { openWhenReachable } from '../src/await-server.ts';

const far = 600_000;
const going = new AbortController().signal;

/** An address where nothing listens until a service waits for it; then it leads to the server. */
async function lateAddress(target: { readonly host: string; readonly port: number }) {
  const port = await findFreePort();
  const proxy = createServer((socket) => {
    const upstream = connect(target);
    socket.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => socket.destroy()).pipe(socket);
  });
  const logger = createLogger({
    service: 'test',
    level: 'warn',
    destination: { write: () => void (proxy.listening || proxy.listen(port, '127.0.0.1')) },
  });
  return { port, logger, proxy };
}

test('a service that starts before its MongoDB waits for it', async () => {
  const { mongodbUri } = await openNamespace({ topics: false });
  const { hostname: host, port: mongoPort } = new URL(mongodbUri);
  const { port, logger, proxy } = await lateAddress({ host, port: Number(mongoPort) });
  const uri = `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=100`;

  const mongo = await openWhenReachable(
    () => connectMongo({ uri, database: 'test_await', service: 'test', logger: testLogger }),
    { server: 'MongoDB', timeoutMs: far, logger, stopping: going },
  );

  expect(await mongo.problem()).toBeNull();
  await mongo.close();
  proxy.close();
});

test('a service that starts before its Kafka waits for it', async () => {
  const { kafkaBrokers } = await openNamespace({ topics: false });
  const [host = '', kafkaPort] = (kafkaBrokers[0] ?? '').split(':');
  const { port, logger, proxy } = await lateAddress({ host, port: Number(kafkaPort) });

  const brokers = await openWhenReachable(() => countBrokers({ brokers: [`127.0.0.1:${port}`] }), {
    server: 'Kafka',
    timeoutMs: far,
    logger,
    stopping: going,
  });

  expect(brokers).toBeGreaterThan(0);
  proxy.close();
});

test('an error that no wait mends, the end of the wait and a stop are reported at once', async () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const selfSigned = Object.assign(new Error('tls'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  const failing = (error: Error, timeoutMs: number, stopping = going) =>
    openWhenReachable(() => Promise.reject(error), {
      ...{ server: 'a server', timeoutMs, stopping },
      logger: testLogger,
    });

  await expect(failing(new Error('no', { cause: selfSigned }), far)).rejects.toThrow('no');
  await expect(failing(refused, 0)).rejects.toBe(refused);
  await expect(failing(refused, far, AbortSignal.abort())).rejects.toBe(refused);
});
