import { once } from 'node:events';
import net from 'node:net';
import { bytesOf } from '@inventory/http/byte-parts';
import { startHttpServer } from '@inventory/http/http-server';
import { Refused } from '@inventory/http/refused';
import { newRequestId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import Koa from 'koa';
import { callApi, closeCalls } from '../../../test/support/api-call.ts';
import { BilledRefused } from '../billed-refused.ts';
import type { RequestState } from '../request-state.ts';
import { deliverPage } from './deliver-page.ts';

interface RequestOptions {
  readonly timeLeftMs?: number;
}

const clock = createTestClock();
const bodyBytes = 300_000;
/** The memory of a page belongs to its delivery. */
const newBody = () => Buffer.alloc(bodyBytes, 'x');
let log: string[];
let bytesTaken: number;
let content: Buffer | readonly Buffer[];
let headers: Record<string, string>;
let inside: () => Promise<void> | void;
let server: Awaited<ReturnType<typeof startHttpServer>>;

beforeAll(async () => {
  const app = new Koa<RequestState>();
  app.silent = true;
  app.use(async (context, next) => {
    try {
      await next();
    } catch (error) {
      context.status = 503;
      context.body = error instanceof Refused ? error.refusal.code : 'fault';
    }
  });
  app.use(deliverPage(clock, { currentVersion: () => 1 }));
  app.use(async (context) => {
    context.state.requestId = newRequestId();
    context.state.delivery = {
      deadlineMs: clock.now() + 1_000,
      delivered: () => log.push('delivered'),
      abandoned: () => log.push('abandoned'),
    };
    context.state.slot = {
      taken: (bytes) => {
        bytesTaken += bytes;
      },
      resize: () => undefined,
      release: () => undefined,
    };
    await inside();
    context.set(headers);
    context.state.responseHeaders = Object.keys(headers);
    if (Buffer.isBuffer(content)) context.body = content;
    else context.state.parts = content;
  });
  server = await startHttpServer({ listener: app.callback(), host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  log = [];
  bytesTaken = 0;
  content = newBody();
  headers = {};
  inside = () => undefined;
});
afterAll(async () => {
  closeCalls();
  await server.close(100);
});

test('a page that is written is delivered, once and whole', async () => {
  const response = await callApi(server.url, { path: '/' });

  expect(response.bytes.equals(newBody())).toBe(true);
  expect(response.headers['content-length']).toBe(String(bodyBytes));
  expect(log).toEqual(['delivered']);
});

test.each([
  [[0, 300_000]],
  [[25, 65_536, 65_536, 40]],
  [[16_383, 1, 1, 0, 70_000]],
  [[20, 3]],
  [[16_384, 262_143, 2, 262_144, 1_000_000]],
])('a page in parts of %j bytes is written whole, in order, with its length', async (lengths) => {
  const parts = lengths.map((length, index) => Buffer.alloc(length, String(index)));
  const whole = Buffer.concat(parts);
  content = parts;

  const response = await callApi(server.url, { path: '/' });

  expect(response.bytes.equals(whole)).toBe(true);
  expect(response.headers['content-length']).toBe(String(whole.length));
  expect(log).toEqual(['delivered']);
});

test('the memory of a page is returned as its client takes it, and the client is seen to take it (Everything is bounded)', async () => {
  const parts = Array.from({ length: 200 }, () => Buffer.alloc(65_536, 'x'));
  const whole = Buffer.concat(parts);
  content = parts;
  const socket = net.connect(server.port, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  await waitFor('the first bytes are taken', () => log.length > 0);
  expect([bytesOf(parts) > 0, bytesTaken < whole.length]).toEqual([true, true]);

  const received: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => received.push(bytes)).resume();

  await waitFor('the memory is returned', () => bytesOf(parts) === 0);
  await waitFor('all is received', () => bytesOf(received) > whole.length);
  socket.destroy();
  expect(Buffer.concat(received).subarray(-whole.length).equals(whole)).toBe(true);
  expect(bytesTaken).toBeGreaterThanOrEqual(whole.length);
});

test('no byte of a page is written from its deadline on (Charging a page read) [charging-a-page-read]', async () => {
  inside = () => clock.advance(1_000);

  const response = await callApi(server.url, { path: '/' });

  expect([response.status, response.text]).toEqual([503, 'billing_unavailable']);
  expect(response.headers['content-length']).toBe(String('billing_unavailable'.length));
  expect(log).toEqual(['abandoned']);
});

test('a page whose response fails after the charge is given up', async () => {
  inside = () => Promise.reject(new Error('compression failed'));

  const response = await callApi(server.url, { path: '/' });

  expect([response.status, response.text]).toEqual([503, 'fault']);
  expect(log).toEqual(['abandoned']);
});

test('a client that is gone before the first byte gets no page and pays nothing', async () => {
  const socket = net.connect(server.port, '127.0.0.1');
  inside = async () => {
    socket.destroy();
    await waitFor('the server saw the client go', async () => (await connections()) === 0);
  };
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');

  await waitFor('the page is given up', () => log.length > 0);
  expect(log).toEqual(['abandoned']);
});

test('a client that goes away in the middle of a page has had its page', async () => {
  const socket = net.connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();

  await waitFor('the first bytes were taken', () => log.length > 0);
  await waitFor('the connection is closed', async () => (await connections()) === 0);
  expect(log).toEqual(['delivered']);
});

test('nor is a page undone that was larger than its connection takes at once', async () => {
  content = Buffer.alloc(40_000_000, 'x');
  const socket = net.connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();

  await waitFor('the connection is closed', async () => (await connections()) === 0);
  await waitFor('something is known of the page', () => log.length > 0);
  expect(log).toEqual(['delivered']);
});

describe('a confirmed denial, which is charged like a page (Live Page rule 1) [empty-private-unavailable, live-page-rule-1, inventory-private-inventory-not-found, confirmation]', () => {
  const denial = (request: RequestOptions = {}) => {
    const delivery = {
      deadlineMs: clock.now() + (request.timeLeftMs ?? 1_000),
      delivered: () => void log.push('delivered'),
      abandoned: () => void log.push('abandoned'),
    };
    const billing = { creditsCharged: 1, creditsRemaining: 4 };
    return new BilledRefused({ code: 'inventory_private' }, billing, delivery);
  };
  const deny = (request?: RequestOptions) => {
    inside = () => Promise.reject(denial(request));
  };

  test.each([
    ['v2', '/'],
    ['original', '/api/v1/inventory/1/2/3'],
    ['alias', '/v1/platform/inventory/1/2/3'],
  ])('is delivered once (%s)', async (form, path) => {
    deny();

    const response = await callApi(server.url, { path });

    expect(response.status).toBe(403);
    expect(response.text).toContain(
      form === 'original' ? 'Inventory is private' : 'inventory_private',
    );
    expect(response.headers['x-credits-charged']).toBe(form === 'v2' ? undefined : '1');
    expect(log).toEqual(['delivered']);
  });

  test('is not written from its deadline on, and says nothing of a charge', async () => {
    deny({ timeLeftMs: 0 });

    const response = await callApi(server.url, { path: '/api/v1/inventory/1/2/3' });

    expect([response.status, response.text]).toEqual([503, 'billing_unavailable']);
    expect(response.headers['x-credits-charged']).toBeUndefined();
    expect(log).toEqual(['abandoned']);
  });

  test('is given up when its client is gone', async () => {
    const socket = net.connect(server.port, '127.0.0.1');
    inside = async () => {
      socket.destroy();
      await waitFor('the server saw the client go', async () => (await connections()) === 0);
      throw denial();
    };
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');

    await waitFor('the denial is given up', () => log.length > 0);
    expect(log).toEqual(['abandoned']);
  });
});

test('what the headers said of a page goes with it when it comes too late', async () => {
  headers = { 'X-Credits-Charged': '1', 'Content-Encoding': 'br' };
  inside = () => clock.advance(1_000);

  const response = await callApi(server.url, { path: '/' });

  expect([response.status, response.text]).toEqual([503, 'billing_unavailable']);
  expect(response.headers['x-credits-charged']).toBeUndefined();
  expect(response.headers['content-encoding']).toBeUndefined();
});

/** Without the keep-alive ones of earlier tests, whose agent is closed here. */
function connections(): Promise<number> {
  closeCalls();
  return new Promise((resolve, reject) =>
    server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
