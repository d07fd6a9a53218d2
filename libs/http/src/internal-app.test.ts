import { createLogger } from '@inventory/runtime/logger';
import Router from '@koa/router';
import { z } from 'zod';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { createInternalApp, equalSecrets } from './internal-app.ts';
import { Refused } from './refused.ts';

const lines: string[] = [];
const logger = createLogger({
  service: 'test',
  level: 'error',
  destination: { write: (line) => void lines.push(line) },
});
let server: HttpServer;

const throttled = { detail: { reason: 'throttled' }, retry_after_seconds: 7 } as const;

async function serve(
  serviceTokens: readonly string[] = [],
  notReady: () => Promise<string[]> = async () => [],
) {
  const router = new Router();
  router.get('/things/:id', (context) => {
    context.body = { id: context.params['id'] };
  });
  router.post('/things', (context) => {
    context.status = 204;
  });
  router.get('/refused', () => {
    throw new Refused({ code: 'upstream_unavailable', ...throttled });
  });
  router.get('/invalid', () => {
    z.object({ count: z.int() }).parse({ count: 'secret-value' });
  });
  router.get('/broken', () => {
    throw new Error('connection to mongodb://user:hunter2@db failed');
  });
  router.get('/odd', (context) => context.throw(418, 'hunter2'));
  router.get('/empty', (context) => {
    context.status = 404;
  });
  const listener = createInternalApp({
    router,
    health: { notReady, notAlive: () => [] },
    serviceTokens,
    logger,
  });
  server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });
}

async function ask(path: string, init: RequestInit = {}) {
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

test('routes answer, health beside them', async () => {
  await serve();

  expect((await ask('/things/7')).text).toBe('{"id":"7"}');
  expect((await ask('/things', { method: 'POST' })).status).toBe(204);
  expect((await ask('/readyz')).status).toBe(200);
});

test.each(['/nothing', '/empty'])(
  'a route that is not there says so in JSON (%s)',
  async (path) => {
    await serve();

    expect(await ask(path)).toMatchObject({
      status: 404,
      type: 'application/json',
      error: { code: 'route_not_found', message: 'There is no such route.' },
    });
  },
);

test('a method that a route does not have says which it has, in JSON', async () => {
  await serve();

  expect(await ask('/things', { method: 'PUT' })).toMatchObject({
    status: 405,
    type: 'application/json',
    allow: 'POST',
    error: { code: 'method_not_allowed' },
  });
});

test('a method that nobody implements is refused in JSON', async () => {
  await serve();

  expect(await ask('/things', { method: 'PROPFIND' })).toMatchObject({
    status: 405,
    type: 'application/json',
    error: { code: 'method_not_allowed' },
  });
});

test('a refusal is answered whole, with the status and the text of its code', async () => {
  await serve();

  expect(await ask('/refused')).toMatchObject({
    status: 502,
    retryAfter: '7',
    error: {
      code: 'upstream_unavailable',
      message: 'The platform is not answering properly.',
      ...throttled,
    },
  });
});

test('a request that breaks its schema is told where, without its values', async () => {
  await serve();

  const { status, error, text } = await ask('/invalid');

  expect([status, error.code]).toEqual([422, 'invalid_request']);
  expect(error.detail.issues).toMatchObject([{ field: 'count' }]);
  expect(text).not.toContain('secret-value');
});

test('an error of ours tells the caller nothing and the log everything', async () => {
  await serve();

  const { status, text } = await ask('/broken');

  expect(status).toBe(500);
  expect(JSON.parse(text)).toEqual({
    error: { code: 'internal_error', message: 'An internal error occurred.' },
  });
  expect(lines.join()).toContain('connection to mongodb');
});

test('an error that a library threw with a status below 500 is no fault of ours, and says no text of it', async () => {
  await serve();

  const { status, error, text } = await ask('/odd');

  expect([status, error.code]).toEqual([400, 'malformed_request']);
  expect(text).not.toContain('hunter2');
  expect(lines).toEqual([]);
});

test('a health check that fails itself is an error, not silence', async () => {
  await serve(undefined, () => Promise.reject(new Error('no')));

  expect((await ask('/readyz')).status).toBe(500);
});

describe('with a service token', () => {
  const token = 'a-shared-secret-of-some-length';

  test.each([undefined, '', 'wrong', `${token}x`, token.slice(1)])(
    'a call that carries %j is refused before it reaches a route',
    async (given) => {
      await serve([token]);
      const headers: Record<string, string> =
        given === undefined ? {} : { 'x-service-token': given };

      expect(await ask('/broken', { headers })).toMatchObject({
        status: 401,
        error: { code: 'service_token_required' },
      });
      expect(await ask('/nothing', { headers })).toMatchObject({ status: 401 });
    },
  );

  test('the right one opens the routes, and health needs none', async () => {
    await serve([token]);

    expect((await ask('/things/7', { headers: { 'x-service-token': token } })).status).toBe(200);
    expect((await ask('/readyz')).status).toBe(200);
  });

  test('while it is replaced the old one opens them too', async () => {
    await serve(['the-secret-of-tomorrow', token]);

    for (const given of ['the-secret-of-tomorrow', token]) {
      expect((await ask('/things/7', { headers: { 'x-service-token': given } })).status).toBe(200);
    }
    const both = { 'x-service-token': `the-secret-of-tomorrow,${token}` };
    expect((await ask('/things/7', { headers: both })).status).toBe(401);
  });

  test('secrets are equal only when every byte is', () => {
    expect(equalSecrets('grün', 'grün')).toBe(true);
    expect(equalSecrets('', '')).toBe(true);
    expect(equalSecrets('grun', 'grün')).toBe(false);
    expect(equalSecrets('grün', 'grüm')).toBe(false);
  });
});
