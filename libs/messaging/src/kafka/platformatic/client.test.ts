import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { testLogger } from '@inventory/testkit/namespace';
import {
  Connection,
  ConnectionPool,
  MultipleErrors,
  NetworkError,
  UserError,
} from '@platformatic/kafka';
import { clientOptions, explained, isTransient } from './client.ts';

const connection = { brokers: ['kafka-0:9092'], clientId: 'test', logger: testLogger };

test('nothing is repeated by the library itself: after a failed commit it would rejoin and repeat it', () => {
  expect(clientOptions(connection)).toMatchObject({ retries: 0, autocreateTopics: false });
});

test.each([
  [['kafka-0:9092', 'kafka-1:9092'], true],
  [['10.0.0.1:9092', 'kafka-1:9092'], false],
  [['[::1]:9092'], false],
])('over TLS the server name of %j is sent: %s', (brokers, expected) => {
  const authorities = ['certificate'];
  const identity = { authorities, certificate: undefined, privateKey: undefined } as never;

  expect(clientOptions({ ...connection, brokers, tls: identity })).toMatchObject({
    tls: { ca: authorities },
    tlsServerName: expected,
  });
  expect(clientOptions(connection)).not.toHaveProperty('tls');
});

test('a login is passed on as it is', () => {
  const sasl = { mechanism: 'SCRAM-SHA-512', username: 'one', password: 'secret' } as const;

  expect(clientOptions({ ...connection, sasl })).toMatchObject({ sasl });
});

test('a connection may fail more than once without ending the process, and detects dead peers', async () => {
  clientOptions(connection);
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const keepAlive = jest.spyOn(net.Socket.prototype, 'setKeepAlive');
  const context: { lastFailure?: Error } = {};
  const pool = new ConnectionPool('test', { context });
  const { port } = server.address() as AddressInfo;

  const opened = await pool.get({ host: '127.0.0.1', port });

  expect(opened).toBeInstanceOf(Connection);
  expect(keepAlive).toHaveBeenCalledWith(true, 60_000);
  opened.emit('error', new Error('refused'));
  opened.emit('error', new Error('reset'));
  expect(context.lastFailure?.message).toBe('reset');
  keepAlive.mockRestore();
  await opened.close();
  server.close();
});

test.each([
  ['a lost connection', new NetworkError('reset'), true],
  ['one of several', new MultipleErrors('sending', [new NetworkError('reset')]), true],
  ['a wrong request', new UserError('unknown'), false],
  [
    'a wrong request among others',
    new MultipleErrors('sending', [new UserError('unknown')]),
    false,
  ],
  ['a fault of ours', new TypeError('undefined'), false],
])('%s may pass: %s', (_case, error, expected) => {
  expect(isTransient(error)).toBe(expected);
});

test('an error says why, also where the library keeps the reason elsewhere', () => {
  const refused = new NetworkError('Connection failed.', { cause: new UserError('SASL refused.') });
  const error = new MultipleErrors('Cannot connect.', [refused]);
  const context = {
    lastFailure: new NetworkError('Connection error', { cause: new Error('bad certificate') }),
  };

  const explanation = explained(error, context) as Error;

  expect(explanation.message).toBe(
    'Cannot connect. Connection failed. SASL refused. Connection error bad certificate',
  );
  expect([explanation.name, explanation.cause]).toEqual(['MultipleErrors', error]);
  const ours = new TypeError('undefined');
  expect(explained(ours, context)).toBe(ours);
});
