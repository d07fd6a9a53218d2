import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { waitFor } from '@inventory/testkit/wait-for';
import { startBytesMax } from './answer-text.ts';
import { createWebhookSender, type WebhookSender } from './webhook-sender.ts';

let hits: { host: string | undefined; body: string }[];
let answer: RequestListener;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += String(chunk);
  });
  request.on('end', () => {
    hits.push({ host: request.headers.host, body });
    answer(request, response);
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
  answer = (_request, response) => void response.writeHead(200).end();
});
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function send(
  url: string,
  options: {
    allowPrivate?: boolean;
    resolve?: (name: string) => Promise<string[]>;
    timeoutMs?: number;
  } = {},
) {
  const { allowPrivate = true, resolve = async () => ['127.0.0.1'], timeoutMs = 600_000 } = options;
  const sender = createWebhookSender({ allowPrivate, resolve, timeoutMs });
  senders.push(sender);
  const { signal } = new AbortController();
  return sender.send({ url, headers: { 'content-type': 'application/json' }, body: '{}', signal });
}

test('a request is sent to the resolved address with the given name', async () => {
  const sent = await send(`http://hook.example.com:${port}/a`);

  expect(sent).toEqual({ status: 200, retryAfter: null, start: Buffer.alloc(0) });
  expect(hits).toEqual([{ host: `hook.example.com:${port}`, body: '{}' }]);
});

test('a name that resolves to this machine is refused and nothing is sent (Events: webhooks) [webhooks-addresses]', async () => {
  const sent = await send(`http://hook.example.com:${port}/`, { allowPrivate: false });

  expect(sent).toEqual({ status: null, error: 'address_refused' });
  expect(hits).toEqual([]);
});

test.each(['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433'])(
  'an address as host, %s, is refused without a look-up (Events: webhooks)',
  async (host) => {
    const sent = await send(`http://${host}:${port}/`, { allowPrivate: false });

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
  answer = () => {};
  expect(await send(`http://a.example:${port}/`, { timeoutMs: 200 })).toMatchObject({
    error: 'timeout',
  });
  answer = (request) => void request.socket.destroy();
  expect(await send(`http://a.example:${port}/`)).toMatchObject({ error: 'connection' });
});

test('the status decides: a body without an end is not a failure and its read is bounded, its start is kept', async () => {
  answer = (_request, response) => {
    response.writeHead(200);
    response.write('x'.repeat(100_000));
  };

  const sent = await send(`http://a.example:${port}/`);

  expect(sent).toMatchObject({ status: 200, start: Buffer.from('x'.repeat(startBytesMax)) });
});

test('a body that fails, or stays incomplete, is kept as far as it arrived; an interim response is not the response (Events: webhooks)', async () => {
  answer = (request, response) => {
    response.writeProcessing();
    response.writeHead(503, { 'retry-after': '7' });
    response.write('not now', () => request.socket.destroy());
  };
  const failed = await send(`http://a.example:${port}/`);
  answer = (_request, response) => void response.writeHead(202).write('wait');
  const unfinished = await send(`http://a.example:${port}/?page=2`);

  expect(failed).toEqual({ status: 503, retryAfter: '7', start: Buffer.from('not now') });
  expect(unfinished).toEqual({ status: 202, retryAfter: null, start: Buffer.from('wait') });
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
  answer = (_request, response) => void waiting.push(() => response.writeHead(204).end());
  const sender = createWebhookSender({
    allowPrivate: true,
    resolve: async () => ['127.0.0.1'],
    timeoutMs: 600_000,
  });
  senders.push(sender);
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

test('redirects are not followed (Events: webhooks)', async () => {
  answer = (_request, response) => {
    response.writeHead(302, { location: `http://a.example:${port}/next` }).end();
  };

  expect(await send(`http://a.example:${port}/`)).toMatchObject({ status: 302 });
  expect(hits).toHaveLength(1);
});

test('a request is aborted when the service stops', async () => {
  answer = () => {};
  const sender = createWebhookSender({
    allowPrivate: true,
    resolve: async () => ['127.0.0.1'],
    timeoutMs: 600_000,
  });
  senders.push(sender);
  const stopping = new AbortController();
  const url = `http://a.example:${port}/`;
  const sent = sender.send({ url, headers: {}, body: '', signal: stopping.signal });
  stopping.abort();

  await expect(sent).rejects.toThrow();
});
