import { createLogger } from '@inventory/runtime/logger';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { ServiceCaller } from '@inventory/runtime/service-settings';
import { z } from 'zod';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { createInternalApp } from './internal-app.ts';
import { internalRoute } from './internal-route.ts';
import { Refused } from './refused.ts';
import { Reply } from './reply.ts';

const lines: string[] = [];
const logger = createLogger({
  service: 'test',
  level: 'warn',
  destination: { write: (line) => void lines.push(line) },
});
let server: HttpServer;

interface Things {
  readonly find: (id: string) => string;
}

const throttled = { detail: { reason: 'throttled' }, retry_after_seconds: 7 } as const;

const chunks = ['a', '', 'b'.repeat(200_000)].map((text) => Buffer.from(text));
const routes = [
  internalRoute({
    method: 'GET',
    template: '/things/{id}',
    callers: ['gateway', 'refresh-collector'],
    input: { path: z.object({ id: z.string() }) },
    response: z.object({ id: z.string() }),
    handle: async ({ find }: Things, { path }) => ({ id: find(path.id) }),
  }),
  internalRoute({
    method: 'POST',
    template: '/things',
    callers: ['gateway'],
    status: 204,
    input: { body: z.object({ count: z.int() }), query: z.object({ state: z.array(z.string()) }) },
    handle: async (_deps: Things) => undefined,
  }),
  internalRoute({
    method: 'PUT',
    template: '/bytes',
    callers: ['gateway'],
    input: { body: z.instanceof(Buffer) },
    bodyType: 'bytes',
    bodyBytesMax: 10,
    handle: async (_deps: Things, { body }) =>
      new Reply({ status: 201, headers: { 'x-length': String(body.length) }, type: 'bin', body }),
  }),
  internalRoute({
    method: 'GET',
    template: '/chunks',
    callers: ['gateway'],
    input: {},
    handle: async (_deps: Things) =>
      new Reply({ type: 'bin', headers: { 'x-chunks': '3' }, body: chunks }),
  }),
  internalRoute({
    method: 'GET',
    template: '/refused',
    callers: ['gateway'],
    input: {},
    async handle(_deps: Things) {
      throw new Refused({ code: 'upstream_unavailable', ...throttled });
    },
  }),
  internalRoute({
    method: 'GET',
    template: '/broken',
    callers: ['gateway'],
    input: {},
    async handle(_deps: Things) {
      throw new Error('connection to mongodb://user:hunter2@db failed');
    },
  }),
];

async function serve(
  callers: readonly ServiceCaller[] = [],
  notReady: () => Promise<string[]> = async () => [],
) {
  const listener = createInternalApp({
    routes: routes.map((route) => route.bind({ find: (id) => id })),
    health: { notReady, degraded: () => [], notAlive: () => [] },
    callers,
    logger,
  });
  server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });
}

function post(body: unknown): RequestInit {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

async function request(path: string, init: RequestInit = {}) {
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type')?.split(';', 1)[0],
    allow: response.headers.get('allow'),
    retryAfter: response.headers.get('retry-after'),
    text,
    error: text.startsWith('{') ? JSON.parse(text).error : undefined,
  };
}

afterEach(async () => {
  lines.splice(0);
  await server.close(0);
});

test('routes respond, health beside them', async () => {
  await serve();

  expect((await request('/things/7')).text).toBe('{"id":"7"}');
  expect(await request('/things', post({ count: 1 }))).toMatchObject({ status: 204, text: '' });
  expect((await request('/readyz')).status).toBe(200);
});

test('bytes are read up to their bound, and the response has status, headers and type', async () => {
  await serve();

  const response = await request('/bytes', { method: 'PUT', body: Buffer.from('0123456789') });
  const tooLarge = await request('/bytes', { method: 'PUT', body: Buffer.from('0123456789a') });

  expect(response).toMatchObject({ status: 201, type: 'application/octet-stream' });
  expect(response.text).toBe('0123456789');
  expect(tooLarge).toMatchObject({ status: 413, error: { code: 'payload_too_large' } });
});

test('a response of chunks is sent whole, with their length, type and headers', async () => {
  await serve();

  const response = await fetch(`${server.url}/chunks`);

  expect(response.headers.get('content-length')).toBe('200001');
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('x-chunks')).toBe('3');
  expect(await response.text()).toBe(chunks.join(''));
});

test('an unknown route is refused in JSON', async () => {
  await serve();

  expect(await request('/nothing')).toMatchObject({
    status: 404,
    type: 'application/json',
    error: { code: 'route_not_found' },
  });
});

test.each(['PUT', 'PROPFIND', 'OPTIONS'])(
  '%s, which a route does not offer, is refused in JSON that names what it offers',
  async (method) => {
    await serve();

    expect(await request('/things', { method })).toMatchObject({
      status: 405,
      type: 'application/json',
      allow: 'POST',
      error: { code: 'method_not_allowed' },
    });
  },
);

test('a refusal is sent whole, with the status and the text of its code', async () => {
  await serve();

  expect(await request('/refused')).toMatchObject({
    status: 502,
    retryAfter: '7',
    error: {
      code: 'upstream_unavailable',
      message: 'The platform is not responding properly.',
      ...throttled,
    },
  });
});

test('a request that violates its schemas is refused with every field, without its values', async () => {
  await serve();

  const body = { count: 'secret-value' };
  const { status, error, text } = await request('/things?state=a', post(body));

  expect([status, error.code]).toEqual([422, 'invalid_request']);
  expect(error.detail.issues).toMatchObject([{ in: 'body', field: 'count' }]);
  expect(text).not.toContain('secret-value');
});

test('a body that is not JSON is refused', async () => {
  await serve();

  expect(await request('/things', { ...post({}), body: '{' })).toMatchObject({
    status: 400,
    error: { code: 'malformed_json' },
  });
});

test('an internal error is logged in full and sent without its text', async () => {
  await serve();

  const { status, text } = await request('/broken');

  expect(status).toBe(500);
  expect(JSON.parse(text)).toEqual({
    error: { code: 'internal_error', message: 'An internal error occurred.' },
  });
  expect(lines.join()).toContain('connection to mongodb');
});

test('a health check that fails itself is an error, not a missing response', async () => {
  await serve(undefined, () => Promise.reject(new Error('no')));

  expect((await request('/readyz')).status).toBe(500);
});

/** An entry of SERVICE_CALLERS. */
function callerOf(name: string, token: string): ServiceCaller {
  return { name, tokenDigest: secretDigest(token) };
}

describe('with callers', () => {
  const token = 'the-token-of-the-gateway';
  const other = 'the-token-of-the-collector';
  const callers = [callerOf('gateway', token), callerOf('refresh-collector', other)];
  const requestAs = (given: string, path: string) =>
    request(path, { headers: { 'x-service-token': given } });

  test.each([undefined, '', 'wrong', `${token}x`, token.slice(1), callers[0]?.tokenDigest])(
    'a call that carries %j is refused before it reaches a route',
    async (given) => {
      await serve([...callers, callerOf('event-stream', '')]);
      const headers: Record<string, string> =
        given === undefined ? {} : { 'x-service-token': given };

      expect(await request('/broken', { headers })).toMatchObject({
        status: 401,
        error: { code: 'service_token_required' },
      });
      expect(await request('/nothing', { headers })).toMatchObject({ status: 401 });
    },
  );

  test('the token of a service opens the routes that name it, no other, and health needs none', async () => {
    await serve(callers);

    expect((await requestAs(token, '/things/7')).status).toBe(200);
    expect((await requestAs(other, '/things/7')).status).toBe(200);
    expect((await requestAs(token, '/refused')).status).toBe(502);
    expect(await requestAs(other, '/refused')).toMatchObject({
      status: 403,
      error: { code: 'caller_not_permitted' },
    });
    expect((await requestAs(other, '/nothing')).status).toBe(404);
    expect((await request('/readyz')).status).toBe(200);
  });

  test('while a token is replaced both open the routes, separately', async () => {
    const next = 'the-token-of-tomorrow';
    await serve([...callers, callerOf('gateway', next)]);

    for (const given of [next, token])
      expect((await requestAs(given, '/refused')).status).toBe(502);
    expect((await requestAs(`${next},${token}`, '/refused')).status).toBe(401);
  });

  test('services that share a token open what one of them may (an upgrade)', async () => {
    await serve([callerOf('event-stream', token), callerOf('refresh-collector', token)]);

    expect((await requestAs(token, '/things/7')).status).toBe(200);
    expect((await requestAs(token, '/refused')).status).toBe(403);
  });
});
