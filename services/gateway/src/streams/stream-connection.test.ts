import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { waitFor } from '@inventory/testkit/wait-for';
import { readChunks } from '../../test/support/read-chunks.ts';
import { chunkOf } from './event-frame.domain.ts';
import { openStreamConnection, type StreamConnection } from './stream-connection.ts';

let server: HttpServer;
let client: Socket;
let received: string;

afterEach(async () => {
  client.destroy();
  await server.close(0);
});

const request = (lines: readonly string[] = [], version = '1.1') =>
  [`GET /stream HTTP/${version}`, 'Host: here', ...lines, '', ''].join('\r\n');

/** What has been received of the body. */
function body() {
  const head = received.indexOf('\r\n\r\n');
  return readChunks(received.slice(head + 4));
}

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
  client = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  received = '';
  client.setEncoding('latin1').on('data', (part: string) => {
    received += part;
  });
  client.on('error', () => {});
  client.on('end', () => client.end());
  client.write(bytes);
  return { ...(await first.promise), responses };
}

/** Until the client has received this part. */
async function untilReceived(part: string): Promise<void> {
  while (!received.includes(part)) await once(client, 'data');
}

test('a stream is what is written to it, in chunks after its head, until its last chunk (Events: framing) [events-framing]', async () => {
  const { connection, closed } = await open(request());

  connection.write(chunkOf('one'));
  await untilReceived('one');
  expect(body()).toEqual({ chunks: ['one'], isComplete: false });
  connection.write(Buffer.concat([chunkOf('two'), chunkOf('three')]));
  connection.end('last');
  await Promise.all([once(client, 'end'), closed]);

  const [head = ''] = received.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/\r\nX-Kind: stream\r\n/);
  expect(head).toMatch(/\r\nTransfer-Encoding: chunked\r\n/);
  expect(head).toMatch(/\r\nConnection: close/);
  expect(head).not.toMatch(/content-length|keep-alive/i);
  expect(body()).toEqual({ chunks: ['one', 'two', 'three', 'last'], isComplete: true });
});

test('a client of HTTP/1.0 gets the same without chunks, until the connection ends (Events: framing) [events-framing]', async () => {
  const { connection, closed } = await open(request([], '1.0'));

  connection.write(chunkOf('one'));
  await untilReceived('one');
  connection.write(Buffer.concat([chunkOf('two'), chunkOf('three')]));
  connection.end('last');
  await Promise.all([once(client, 'end'), closed]);

  const [head = '', content] = received.split('\r\n\r\n');
  expect(head).not.toMatch(/transfer-encoding|content-length|keep-alive/i);
  expect(content).toBe('onetwothreelast');
});

test('a body that is cut has no last chunk: its client knows that it is not complete (Events: EOF)', async () => {
  const { connection } = await open(request());
  connection.write(chunkOf('one'));
  await untilReceived('one');

  connection.cut();
  await once(client, 'close');

  expect(body()).toEqual({ chunks: ['one'], isComplete: false });
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
  ['leaves', (socket: Socket) => socket.destroy()],
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
  connection.write(big);
  expect(connection.isFull).toBe(true);
  const partOf = () => connection.taken - headBytes;
  await waitFor('the socket takes no more', async () => {
    const before = partOf();
    for (let tick = 0; tick < 20; tick += 1) await yieldToEventLoop();
    return partOf() > 0 && partOf() === before;
  });
  const stalledAt = partOf();
  expect(stalledAt).toBeLessThan(big.length);
  expect(connection.queued).toBe(big.length);

  client.resume();
  await waitFor('the socket takes some of what is left', () => partOf() > stalledAt);
  await drained;
  expect([partOf(), connection.queued, connection.isFull]).toEqual([big.length, 0, false]);
  expect(connection.remote).toBe(`127.0.0.1/${client.localPort}`);
});

describe('Bytes after the request', () => {
  test('are ignored, whatever they are, and delay no frame', async () => {
    const { connection, responses } = await open(request());
    await untilReceived('\r\n\r\n');

    client.write(request().repeat(20));
    client.write('\0 no request at all\r\n');
    await once(responses[0]?.req.socket ?? client, 'data');
    connection.end('last');
    await once(client, 'end');

    expect(body()).toEqual({ chunks: ['last'], isComplete: true });
    expect(responses).toHaveLength(1);
  });

  test('end the stream where they are more than a client sends by mistake', async () => {
    const { closed } = await open(request());
    await untilReceived('\r\n\r\n');

    client.write(Buffer.alloc(1024 * 1024));

    await closed;
  });

  test('that arrive with it get no response either, and the stream is served', async () => {
    const { connection, closed, responses } = await open(request() + request());

    connection.write(chunkOf('one'));
    await untilReceived('one');
    connection.end('last');
    await Promise.all([once(client, 'end'), closed]);

    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(body()).toEqual({ chunks: ['one', 'last'], isComplete: true });
    expect(responses).toHaveLength(1);
  });

  test('that it announces as its body are not waited for', async () => {
    const { connection } = await open(request(['Content-Length: 5']));

    connection.write(chunkOf('one'));
    await untilReceived('one');
    client.write('12345');
    connection.end('last');
    await once(client, 'end');

    expect(body()).toEqual({ chunks: ['one', 'last'], isComplete: true });
  });
});

test('a server that closes closes its streams too (Events: draining)', async () => {
  const { closed } = await open(request());

  await server.close(0);

  await closed;
});
