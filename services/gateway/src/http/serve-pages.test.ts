import { gunzipSync } from 'node:zlib';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import { startHttpServer } from '@inventory/http/http-server';
import { packWhole } from '@inventory/http/packed-body';
import Koa from 'koa';
import { callApi, closeCalls } from '../../test/support/api-call.ts';
import type { RequestState } from './request-state.ts';
import { servePages } from './serve-pages.ts';

const script = Buffer.from('let page = 1;\n'.repeat(500));
let packed: string[];
let server: Awaited<ReturnType<typeof startHttpServer>>;

beforeEach(async () => {
  packed = [];
  const app = new Koa<RequestState>();
  app.silent = true;
  const counted = (coding: ContentCoding) => async (body: Buffer) => {
    packed.push(coding);
    return packWhole[coding](body);
  };
  app.use(
    servePages(
      { '/docs': { type: 'js', body: script } },
      { br: counted('br'), gzip: counted('gzip'), zstd: counted('zstd') },
    ),
  );
  server = await startHttpServer({ listener: app.callback(), host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  closeCalls();
  await server.close(0);
});

const get = (headers: Record<string, string> = {}, method = 'GET', path = '/docs') =>
  callApi(server.url, { method, path, headers });

test('a page is compressed once for all its requests', async () => {
  const asked = { 'accept-encoding': 'gzip' };

  const responses = await Promise.all([get(asked), get(asked), get(asked)]);
  await get({ 'accept-encoding': 'identity' });

  expect(packed).toEqual(['gzip']);
  for (const { headers, bytes } of responses) {
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers['cache-control']).toBe('public, max-age=3600');
    expect(gunzipSync(bytes).equals(script)).toBe(true);
  }
});

test('a client that has the page gets 304 without a body', async () => {
  const asked = { 'accept-encoding': 'gzip' };
  const first = await get(asked);
  const etag = String(first.headers.etag);

  const again = await get({ ...asked, 'if-none-match': etag });
  const other = await get({ 'accept-encoding': 'identity', 'if-none-match': etag });

  expect(etag).toMatch(/^"[\w-]+"$/);
  expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
  expect([other.status, other.bytes.length]).toEqual([200, script.length]);
});

test('HEAD has the headers of GET, and a trailing slash leads to the same page', async () => {
  const head = await get({ 'accept-encoding': 'identity' }, 'HEAD');
  const slash = await get({ 'accept-encoding': 'identity' }, 'GET', '/docs/');

  expect([head.status, head.headers['content-length']]).toEqual([200, String(script.length)]);
  expect(head.bytes.length).toBe(0);
  expect(slash.bytes.equals(script)).toBe(true);
});

test('the root leads to the reference', async () => {
  const response = await get({}, 'GET', '/');

  expect([response.status, response.headers.location]).toEqual([302, '/docs']);
});
