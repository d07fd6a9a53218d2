import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { waitFor } from '@inventory/testkit/wait-for';
import fc from 'fast-check';
import { startBytesMax } from './response-text.ts';
import { createWebhookSender, type WebhookSender } from './webhook-sender.ts';

let hits: { host: string | undefined; body: string }[];
let respond: RequestListener;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += String(chunk);
  });
  request.on('end', () => {
    hits.push({ host: request.headers.host, body });
    respond(request, response);
  });
});
let port: number;
const senders: WebhookSender[] = [];

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  hits = [];
  respond = (_request, response) => void response.writeHead(200).end();
});
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface SenderOptions {
  readonly allowPrivate?: boolean;
  readonly resolve?: (name: string) => Promise<string[]>;
  readonly timeoutMs?: number;
}

function newSender(options: SenderOptions = {}): WebhookSender {
  const { allowPrivate = true, resolve = async () => ['127.0.0.1'], timeoutMs = 600_000 } = options;
  const sender = createWebhookSender(resolve, { allowPrivate }, timeoutMs);
  senders.push(sender);
  return sender;
}

function send(url: string, options: SenderOptions = {}) {
  const { signal } = new AbortController();
  const headers = { 'content-type': 'application/json' };
  return newSender(options).send({ url, headers, body: '{}', signal });
}

test('a request is sent to the resolved address with the given name', async () => {
  const sent = await send(`http://hook.example.com:${port}/a`);

  expect(sent).toEqual({ status: 200, retryAfter: null, start: Buffer.alloc(0) });
  expect(hits).toEqual([{ host: `hook.example.com:${port}`, body: '{}' }]);
});

test('a name that resolves to this machine is refused and nothing is sent (Events: webhooks) [webhooks-addresses]', async () => {
  const sent = await send(`https://hook.example.com:${port}/`, { allowPrivate: false });

  expect(sent).toEqual({ status: null, error: 'address_refused' });
  expect(hits).toEqual([]);
});

test.each([
  '127.0.0.1',
  '[::ffff:127.0.0.1]',
  '2130706433',
  'localhost..',
  'a..example',
  '@a.example',
])(
  'an address as host, %s, or what is not a host, is refused without a lookup (Events: webhooks)',
  async (host) => {
    const sent = await send(`https://${host}:${port}/`, { allowPrivate: false });

    expect(sent).toEqual({ status: null, error: 'address_refused' });
    expect(hits).toEqual([]);
  },
);

test('each kind of failure has its own error', async () => {
  const closed = createTcpServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port: closedPort } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const unknown = async () => {
    throw new Error('no such name');
  };

  expect(await send(`http://a.example:${port}/`, { resolve: unknown })).toMatchObject({
    error: 'dns',
  });
  expect(await send(`http://a.example:${closedPort}/`)).toMatchObject({ error: 'connection' });
  expect(await send(`https://a.example:${port}/`)).toMatchObject({ error: 'tls' });
  respond = () => {};
  expect(await send(`http://a.example:${port}/`, { timeoutMs: 200 })).toMatchObject({
    error: 'timeout',
  });
  respond = (request) => void request.socket.destroy();
  expect(await send(`http://a.example:${port}/`)).toMatchObject({ error: 'connection' });
});

test('the status decides: a body without an end is not a failure and its read is bounded, its start is kept', async () => {
  respond = (_request, response) => {
    response.writeHead(200);
    response.write('x'.repeat(100_000));
  };

  const sent = await send(`http://a.example:${port}/`);

  expect(sent).toMatchObject({ status: 200, start: Buffer.from('x'.repeat(startBytesMax)) });
});

test('a body that fails, or stays incomplete, is kept as far as it arrived; an interim response is not the response (Events: webhooks)', async () => {
  respond = (request, response) => {
    response.writeProcessing();
    response.writeHead(503, { 'retry-after': '7' });
    response.write('not now', () => request.socket.destroy());
  };
  const failed = await send(`http://a.example:${port}/`);
  respond = (_request, response) => void response.writeHead(202).write('wait');
  const unfinished = await send(`http://a.example:${port}/?page=2`);

  expect(failed).toEqual({ status: 503, retryAfter: '7', start: Buffer.from('not now') });
  expect(unfinished).toEqual({ status: 202, retryAfter: null, start: Buffer.from('wait') });
});

const interim = fc.constantFrom(
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 102 Processing\r\nX: y\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
);
/** What may follow the status of a response without being HTTP. */
const faults = [
  'OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok',
  'OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
  'OK\r\nContent-Length: two\r\n\r\nok',
  'OK\r\nContent-Length: -1\r\n\r\nok',
  'OK\r\nTransfer-Encoding: chunked\r\n\r\nok',
  'OK\r\nno header\r\n\r\nok',
  'OK\r\nX y: z\r\n\r\nok',
  'OK\r\nX: \0\r\n\r\nok',
  'OK\nContent-Length: 2\n\nok',
  '\r\n: nothing\r\n\r\nok',
  'OK',
  'OK\r\nContent-Length: 5\r\n',
  `OK\r\n${'X: y\r\n'.repeat(4_000)}\r\n`,
];

describe('A response', () => {
  /** The response to the next request, in chunks; its connection is closed then. */
  let chunks: readonly string[] = [];
  const raw = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', async () => {
      for (const chunk of chunks) {
        await new Promise((resolve) => socket.write(chunk, 'latin1', resolve));
        await new Promise((resolve) => setImmediate(resolve));
      }
      socket.end();
    });
  });
  const origin = () => `http://a.example:${(raw.address() as AddressInfo).port}/`;
  beforeAll(() => new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => raw.close(resolve)));

  /** In chunks, cut anywhere. */
  const cut = (text: string, cuts: readonly number[]) => {
    const ends = [...cuts.map((one) => one % text.length), text.length].toSorted((a, b) => a - b);
    return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end)).filter((one) => one !== '');
  };

  test('begins after interim ones, of which any number may precede it, and has its status, whatever follows that: an event that has arrived is not sent again (Events: webhooks; RFC 9110, 15.2)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(interim, { maxLength: 3 }),
        fc.constantFrom(200, 201, 204, 299, 410, 500),
        fc.constantFrom('OK\r\nContent-Length: 2\r\n\r\nok', ...faults),
        fc.array(fc.nat(), { maxLength: 3 }),
        async (interims, status, remainder, cuts) => {
          chunks = cut(`${interims.join('')}HTTP/1.1 ${status} ${remainder}`, cuts);

          expect(await send(origin())).toMatchObject({ status });
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });

  test.each(['', '\0', 'HTTP/1.1 100 Continue\r\n\r\n'])(
    'has no status of an earlier one on its connection, after which %j came',
    async (trailing) => {
      respond = (request, response) => {
        if (hits.length === 1) {
          response.writeHead(200, { 'content-length': 2 }).end('ok');
          response.once('finish', () => request.socket.write(trailing));
        } else {
          request.socket.destroy();
        }
      };
      const sender = newSender();
      const url = `http://a.example:${port}/`;
      const one = { url, headers: {}, body: '{}', signal: new AbortController().signal };

      const first = await sender.send(one);
      // The connection is free from the next tick of the event loop on.
      await new Promise((resolve) => setImmediate(resolve));
      const second = await sender.send(one);

      expect([first.status, second]).toEqual([200, { status: null, error: 'connection' }]);
    },
  );

  test.each([
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n',
    'HTTP/1.1 200',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/3.0 200 OK\r\n\r\n',
    '200 OK\r\n\r\n',
    'ICY 200 OK\r\n\r\n',
    '',
  ])('without a status line is not one: %j', async (text) => {
    chunks = cut(text, []);

    expect(await send(origin())).toEqual({ status: null, error: 'connection' });
  });
});

test('a request whose connection is not open yet ends with its deadline (Events: webhooks)', async () => {
  const resolve = () => new Promise<string[]>(() => {});

  expect(await send(`http://a.example:${port}/`, { resolve, timeoutMs: 20 })).toEqual({
    status: null,
    error: 'timeout',
  });
  expect(hits).toEqual([]);
});

test('forty requests to one origin are sent concurrently: none waits in the client (Events: webhooks)', async () => {
  const waiting: (() => void)[] = [];
  respond = (_request, response) => void waiting.push(() => response.writeHead(204).end());
  const sender = newSender();
  const { signal } = new AbortController();
  const url = `http://many.example:${port}/`;

  const sent = Array.from({ length: 40 }, () =>
    sender.send({ url, headers: {}, body: '{}', signal }),
  );
  await waitFor('all are received', () => waiting.length === 40);
  for (const respond of waiting) respond();

  expect(await Promise.all(sent)).toEqual(
    Array.from({ length: 40 }, () => ({ status: 204, retryAfter: null, start: Buffer.alloc(0) })),
  );
});

test('a request is aborted when the service stops', async () => {
  respond = () => {};
  const sender = newSender();
  const stopping = new AbortController();
  const url = `http://a.example:${port}/`;
  const sent = sender.send({ url, headers: {}, body: '', signal: stopping.signal });
  stopping.abort();

  await expect(sent).rejects.toThrow();
});
