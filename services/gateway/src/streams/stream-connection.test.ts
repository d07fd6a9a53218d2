import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { waitFor } from '@inventory/testkit/wait-for';
import { openStreamConnection, type StreamConnection } from './stream-connection.ts';

let server: HttpServer;
let client: Socket;
let received: string;

afterEach(async () => {
  client.destroy();
  await server.close(0);
});

const request = (lines: readonly string[] = []) =>
  ['GET /stream HTTP/1.1', 'Host: here', ...lines, '', ''].join('\r\n');

interface Opened {
  readonly connection: StreamConnection;
  /** Settles when the connection is closed. */
  readonly closed: Promise<void>;
  readonly closings: () => number;
}

/** Sends these bytes to a server whose every response is a stream; resolves with the first. */
async function open(bytes: string): Promise<Opened & { responses: ServerResponse[] }> {
  const first = Promise.withResolvers<Opened>();
  const responses: ServerResponse[] = [];
  server = await startHttpServer({
    async listener(_request, response) {
      responses.push(response);
      const connection = await openStreamConnection(response, { 'X-Kind': 'stream' });
      if (connection === null) throw new Error('the client is gone');
      const closed = Promise.withResolvers<void>();
      let closings = 0;
      connection.onClosed(() => {
        closings += 1;
        closed.resolve();
      });
      first.resolve({ connection, closed: closed.promise, closings: () => closings });
    },
    host: '127.0.0.1',
    port: 0,
  });
  client = connect(server.port, '127.0.0.1');
  received = '';
  client.setEncoding('latin1').on('data', (part: string) => {
    received += part;
  });
  client.on('error', () => {});
  client.write(bytes);
  return { ...(await first.promise), responses };
}

/** Until the client has received this part. */
async function untilReceived(part: string): Promise<void> {
  while (!received.includes(part)) await once(client, 'data');
}

test('a stream is what is written to it, behind a head that states no length, until it ends (Events: frames)', async () => {
  const { connection, closed } = await open(request());

  connection.write(Buffer.from('one'));
  connection.end('last');
  await Promise.all([once(client, 'end'), closed]);

  const [head = '', body] = received.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/\r\nX-Kind: stream\r\n/);
  expect(head).toMatch(/\r\nConnection: close/);
  expect(head).not.toMatch(/transfer-encoding|content-length|keep-alive/i);
  expect(body).toBe('onelast');
});

test('the request of a stream ends once, when the stream is open', async () => {
  const { connection, closed, responses } = await open(request());
  const [response] = responses;
  const ends: string[] = [];
  response?.on('close', () => ends.push('close'));

  await once(response ?? client, 'close');
  connection.cut();
  await closed;

  expect(ends).toEqual(['close']);
});

test.each([
  ['ends its side', (socket: Socket) => socket.end()],
  ['resets it', (socket: Socket) => socket.resetAndDestroy()],
])(
  'the connection of a client that %s is closed, once (Events: EOF)',
  async (_name, leave: (socket: Socket) => unknown) => {
    const { closed, closings } = await open(request());
    await untilReceived('\r\n\r\n');

    leave(client);
    await closed;

    expect(closings()).toBe(1);
  },
);

test('the progress of a client is what the socket has taken, of a write in part too (Events: slow consumer) [events-slow-consumer]', async () => {
  const { connection } = await open(request());
  await untilReceived('\r\n\r\n');
  const headBytes = connection.taken;
  client.pause();
  const drained = new Promise<void>((resolve) => connection.onDrained(resolve));

  const big = Buffer.alloc(32 * 1024 * 1024, 'x');
  expect(connection.write(big)).toBe(false);
  const partOf = () => connection.taken - headBytes;
  await waitFor('the socket takes no more', async () => {
    const before = partOf();
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    return partOf() > 0 && partOf() === before;
  });
  const stalledAt = partOf();
  expect(stalledAt).toBeLessThan(big.length);
  expect(connection.queued).toBe(big.length);

  client.resume();
  await waitFor('the socket takes a part of the rest', () => partOf() > stalledAt);
  await drained;
  expect([partOf(), connection.queued]).toEqual([big.length, 0]);
  expect(connection.remote).toBe(`127.0.0.1/${client.localPort}`);
});

describe('Bytes behind the request', () => {
  test('are ignored, whatever they are, and delay no frame', async () => {
    const { connection, responses } = await open(request());
    await untilReceived('\r\n\r\n');

    client.write(request().repeat(20));
    client.write('\0 no request at all\r\n');
    await once(responses[0]?.req.socket ?? client, 'data');
    connection.end('last');
    await once(client, 'end');

    expect(received.split('\r\n\r\n')[1]).toBe('last');
    expect(responses).toHaveLength(1);
  });

  test('end the stream where they are more than a client sends by mistake', async () => {
    const { closed } = await open(request());
    await untilReceived('\r\n\r\n');

    client.write(Buffer.alloc(1024 * 1024));

    await closed;
  });

  test('that arrive with it are not answered either, and the stream is served', async () => {
    const { connection, closed, responses } = await open(request() + request());

    connection.write(Buffer.from('one'));
    await untilReceived('one');
    connection.end('last');
    await Promise.all([once(client, 'end'), closed]);

    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(received).toMatch(/onelast$/);
    expect(responses).toHaveLength(1);
  });

  test('that it announces as its body are not waited for', async () => {
    const { connection } = await open(request(['Content-Length: 5']));

    connection.write(Buffer.from('one'));
    await untilReceived('one');
    client.write('12345');
    connection.end('last');
    await once(client, 'end');

    expect(received).toMatch(/onelast$/);
  });
});

test('a server that closes closes its streams too (Events: draining)', async () => {
  const { closed } = await open(request());

  await server.close(0);

  await closed;
});
