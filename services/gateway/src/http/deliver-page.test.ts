import { once } from 'node:events';
import net from 'node:net';
import { startHttpServer } from '@inventory/http/http-server';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import Koa from 'koa';
import { callApi, closeCalls } from '../../test/support/api-call.ts';
import { deliverPage } from './deliver-page.ts';
import { Refusal } from './refusal.ts';
import type { RequestState } from './request-state.ts';

const clock = createTestClock();
const body = Buffer.alloc(300_000, 'x');
let log: string[];
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
      context.body = error instanceof Refusal ? error.code : 'fault';
    }
  });
  app.use(deliverPage(clock, { current: () => 1 }));
  app.use(async (context) => {
    context.state.delivery = {
      deadlineMs: clock.now() + 1_000,
      delivered: () => log.push('delivered'),
      abandoned: () => log.push('abandoned'),
    };
    await inside();
    context.body = body;
  });
  server = await startHttpServer({ listener: app.callback(), host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  log = [];
  inside = () => undefined;
});
afterAll(async () => {
  closeCalls();
  await server.close(100);
});

test('a page that is written is delivered, once and whole', async () => {
  const answer = await callApi(server.url, { path: '/' });

  expect(answer.bytes.equals(body)).toBe(true);
  expect(answer.headers['content-length']).toBe(String(body.length));
  expect(log).toEqual(['delivered']);
});

test('no byte of a page is written from its deadline on (Charging a page read)', async () => {
  inside = () => clock.advance(1_000);

  const answer = await callApi(server.url, { path: '/' });

  expect([answer.status, answer.text]).toEqual([503, 'billing_unavailable']);
  expect(answer.headers['content-length']).toBe(String('billing_unavailable'.length));
  expect(log).toEqual(['abandoned']);
});

test('a page whose answer fails after the charge is given up', async () => {
  inside = () => Promise.reject(new Error('compression failed'));

  const answer = await callApi(server.url, { path: '/' });

  expect([answer.status, answer.text]).toEqual([503, 'fault']);
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

/** Without the keep-alive ones of earlier tests, whose agent is closed here. */
function connections(): Promise<number> {
  closeCalls();
  return new Promise((resolve, reject) =>
    server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
