import { EventEmitter, once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { errorBody } from '@inventory/contracts/http/error-body';
import { requestId } from '@inventory/contracts/ids';
import { detailOf, hasRetryAfter, refusal } from '@inventory/contracts/refusal';
import { publicCodes, refusalCodes } from '@inventory/contracts/refusal-codes';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { ServiceUnreachable } from '@inventory/http/internal-client';
import { Refused } from '@inventory/http/refused';
import { BatcherFull } from '@inventory/runtime/concurrency';
import { createLogger } from '@inventory/runtime/logger';
import { DeadlineExceeded } from '@inventory/runtime/wait';
import { asSent } from '@inventory/testkit/as-sent';
import { only } from '@inventory/testkit/only';
import {
  bulkWriteError,
  passingStoreErrors,
  serverError,
} from '@inventory/testkit/passing-store-errors';
import { createTestClock } from '@inventory/testkit/test-clock';
import { z } from 'zod';
import { type ApiCall, callApi, closeCalls } from '../../test/support/api-call.ts';
import { newFrame } from '../../test/support/public-frame.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import { createPublicApp } from './app.ts';
import { rateStateAt } from './limits/rate-window.domain.ts';
import { errorExample } from './openapi/examples.ts';
import type { PublicResponse } from './public-response.ts';
import { publicRoute } from './public-route.ts';

const product = 'platform.inventory.current.page.v1';
const principal: Principal = {
  environment: 'live',
  accountId: 'acc_1',
  projectId: 'prj_1',
  serviceAccountId: 'sa_1',
  credentialId: 'cred_1',
  permissions: [product],
  expiresAtMs: null,
  networkPolicies: [],
  eventsEnabled: false,
  captureEnabled: true,
  requestsPerMinute: 3,
  trafficLimitPerMinute: null,
  hasServiceAccounts: false,
};

const clock = createTestClock();
/** What the handler of every test route does. */
let handle: () => Promise<PublicResponse>;
let requestsUsed = 0;
const lines: string[] = [];
let server: HttpServer;

const keys: Record<string, Principal> = {
  good: principal,
  elsewhere: { ...principal, networkPolicies: [['192.0.2.0/24']] },
  powerless: { ...principal, permissions: [] },
};
const body = z.strictObject({ name: z.string() });
/** Not part of what these tests are about. */
const texts = {
  tag: 'Account',
  summary: '',
  description: '',
  response: { status: 200, description: '', body: { text: 'text/plain' }, example: '' },
  errors: [],
} as const;
const routes = [
  publicRoute({
    ...texts,
    operationId: 'makeThing',
    method: 'POST',
    template: '/v2/things/{thing}',
    permission: product,
    product,
    input: { path: z.object({ thing: z.string().regex(/^[a-z]+$/) }), body },
    handle: () => handle(),
  }),
  publicRoute({
    ...texts,
    operationId: 'readThing',
    method: 'GET',
    template: '/v2/things/{thing}',
    input: { path: z.object({ thing: z.string() }) },
    handle: () => handle(),
  }),
];

function createApp(): RequestListener {
  const frame = newFrame({
    principals: only({
      findPrincipal: async (secret) => keys[secret] ?? null,
      readPrincipal: async (digest) => keys[digest.slice('of '.length)] ?? null,
      isUnseen: () => false,
      digestOf: (secret) => `of ${secret}`,
    }),
    clientAddressOf: ({ socket }) => socket.remoteAddress ?? '',
    limiter: {
      isKnownFull: () => false,
      takeRequests: async ({ requestsPerMinute: limit }) => {
        requestsUsed += 1;
        const admitted = requestsUsed <= limit;
        const rate = rateStateAt(requestsUsed, limit, 10_000);
        return { ...rate, admitted, limit: 'service_account' };
      },
    },
    prices: { currentVersion: () => 7 },
    v1DeprecatedAtMs: 1_767_225_600_000,
    clock,
    logger: createLogger({
      service: 'test',
      level: 'info',
      destination: { write: (line) => void lines.push(line) },
    }),
  });
  const bound = routes.map((route) => route.bind({}));
  return createPublicApp(frame, bound, {});
}

function responseOf(text: string): PublicResponse {
  return { status: 200, body: Buffer.from(text) };
}

const call = (given: ApiCall) => callApi(server.url, given);

beforeAll(async () => {
  server = await startHttpServer({ listener: createApp(), host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  requestsUsed = 0;
  lines.length = 0;
  handle = async () => responseOf('{"success":true}');
});
afterAll(async () => {
  closeCalls();
  await server.close(100);
});

describe('every code of the closed list [error-codes]', () => {
  test.each(publicCodes)(
    '%s is sent with its one status and one message [error-codes]',
    async (code) => {
      const { detail } = errorExample(code);
      const refused = refusal.parse({ code, detail, retry_after_seconds: 7 });
      handle = () => Promise.reject(new Refused(refused));

      const response = await call({ path: '/v2/things/a', key: 'good' });

      expect(response.status).toBe(refusalCodes[code].status);
      const parsed = asSent(errorBody, response.json);
      expect(parsed.error).toEqual({
        code,
        message: refusalCodes[code].message,
        request_id: response.headers['x-request-id'],
        ...(detailOf(refused) ? { detail } : {}),
      });
      expect(parsed.meta).toEqual({
        request_id: response.headers['x-request-id'],
        environment: 'live',
      });
      expect(response.headers['retry-after']).toBe(hasRetryAfter(code) ? '7' : undefined);
    },
  );
});

test.each([
  ['concurrent_change', 503, 'service_unavailable'],
  ['account_not_found', 500, 'internal_error'],
  ['chunk_conflict', 500, 'internal_error'],
] as const)(
  '%s, which the public API does not document, is sent as %i %s (Errors)',
  async (code, status, publicCode) => {
    handle = () => Promise.reject(new Refused({ code }));

    const body = { name: 'a' };
    const response = await call({ method: 'POST', path: '/v2/things/a', key: 'good', body });

    expect([response.status, response.json.error.code]).toEqual([status, publicCode]);
  },
);

test('an error of a billed operation says that nothing was charged (Errors: meta) [errors-meta]', async () => {
  handle = () => Promise.reject(new Refused({ code: 'cursor_expired' }));

  const response = await call({
    method: 'POST',
    path: '/v2/things/a',
    key: 'good',
    body: { name: '' },
  });

  expect(response.json.meta).toEqual({
    request_id: response.headers['x-request-id'],
    environment: 'live',
    product_code: product,
    price_version: 7,
    credits_charged: 0,
    billing_disposition: 'not_charged',
    billing_reason: null,
    rate_limit: { limit_per_minute: 3, remaining: 2, reset_seconds: 50 },
  });
});

const unavailable = [
  new ServiceUnreachable('collector did not respond'),
  new DeadlineExceeded('too long'),
  new BatcherFull('queue of an account'),
  ...passingStoreErrors.map(([, error]) => error),
];
const duplicate = bulkWriteError({ documents: [11_000] });
const faults = [duplicate, serverError({ code: 2 }), new TypeError('secret internals')];

test.each([
  ...unavailable.map((error) => [error, 'service_unavailable'] as const),
  ...faults.map((error) => [error, 'internal_error'] as const),
])('%s is sent as %s, without internals [internal-error]', async (failure, code) => {
  handle = () => Promise.reject(failure);

  const response = await call({ path: '/v2/things/a', key: 'good' });

  expect(response.json.error.code).toBe(code);
  expect(response.text).not.toContain(failure.message);
  expect(lines.join()).toContain(response.headers['x-request-id']);
  expect(response.headers['retry-after'] !== undefined).toBe(code === 'service_unavailable');
});

test('the checks come in one order: of several problems the first one is reported [order-of-checks]', async () => {
  const worst = { method: 'PUT', path: '/v2/nothing', headers: { accept: 'text/html' } };
  const steps: [string, ApiCall][] = [
    ['route_not_found', worst],
    ['method_not_allowed', { ...worst, path: '/v2/things/1' }],
    ['not_acceptable', { ...worst, method: 'POST', path: '/v2/things/1' }],
    ['missing_api_key', { method: 'POST', path: '/v2/things/1' }],
    ['invalid_api_key', { method: 'POST', path: '/v2/things/1', key: 'bad' }],
    ['permission_denied', { method: 'POST', path: '/v2/things/1', key: 'elsewhere' }],
    ['permission_denied', { method: 'POST', path: '/v2/things/1', key: 'powerless' }],
    [
      'unsupported_media_type',
      {
        method: 'POST',
        path: '/v2/things/1',
        key: 'good',
        headers: { 'content-type': 'text/plain' },
        body: '{',
      },
    ],
    ['malformed_json', { method: 'POST', path: '/v2/things/1', key: 'good', body: '{' }],
    ['rate_limit_exceeded', { method: 'POST', path: '/v2/things/1', key: 'powerless' }],
  ];

  for (const [code, given] of steps) {
    expect((await call(given)).json.error.code).toBe(code);
  }
  // The two 401, the foreign network and everything before them consumed nothing.
  expect(requestsUsed).toBe(4);
});

test('validation comes after the body is read and names path and body together', async () => {
  const response = await call({ method: 'POST', path: '/v2/things/1', key: 'good', body: {} });

  expect(response.json.error.code).toBe('invalid_request');
  expect(response.json.error.detail.issues.map(({ in: part }: { in: string }) => part)).toEqual([
    'path',
    'body',
  ]);
});

test('every response names its request; an inbound X-Request-ID is ignored [request-id]', async () => {
  const headers = { 'x-request-id': 'req_of-the-client' };
  const responses = [
    await call({ path: '/v2/things/a', key: 'good', headers }),
    await call({ path: '/nowhere', headers }),
    await call({ method: 'HEAD', path: '/v2/things/a', headers }),
  ];

  const ids = responses.map((response) => requestId.parse(response.headers['x-request-id']));
  expect(new Set(ids).size).toBe(3);
});

test('every response forbids caching, sniffing and framing, and opens nothing to browsers [no-caching-no-cors]', async () => {
  const headers = { origin: 'https://elsewhere.example' };
  for (const path of ['/v2/things/a', '/nowhere']) {
    const response = await call({ path, key: 'good', headers });

    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(Object.keys(response.headers).filter((name) => /^access-control/.test(name))).toEqual(
      [],
    );
    expect(response.headers['x-powered-by']).toBeUndefined();
  }
});

test.each(['HEAD', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE'])(
  '%s is not offered, and the response says what is (Transport: HEAD is 405) [json-only, head-is-405]',
  async (method) => {
    const response = await call({ method, path: '/v2/things/a', key: 'good' });

    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe('POST, GET');
  },
);

test('the rate limit stands in headers and, when it refuses, in detail (Reads: rate limit) [rate-limit]', async () => {
  requestsUsed = 1;
  const admitted = await call({ path: '/v2/things/a', key: 'good' });
  requestsUsed = 3;
  const refused = await call({ path: '/v2/things/a', key: 'good' });

  expect(admitted.headers).toMatchObject({
    'ratelimit-policy': '"service_account";q=3;w=60',
    ratelimit: '"service_account";r=1;t=50',
  });
  expect(refused.status).toBe(429);
  expect(refused.headers).toMatchObject({
    ratelimit: '"service_account";r=0;t=50',
    'retry-after': '50',
  });
  expect(refused.json.error.detail).toEqual({
    limit: 'service_account',
    limit_per_minute: 3,
    remaining: 0,
    reset_seconds: 50,
  });
});

test('a key counts only in its header, and only once', async () => {
  const responses = [
    await call({ path: '/v2/things/a?api_key=good&X-API-Key=good' }),
    await call({ path: '/v2/things/a', key: '' }),
    await call({ path: '/v2/things/a', headers: { authorization: 'Bearer good' } }),
    await call({ path: '/v2/things/a', headers: { 'x-api-key': ['good', 'good'] } }),
  ];

  expect(responses.map(({ json }) => json.error.code)).toEqual([
    'missing_api_key',
    'missing_api_key',
    'missing_api_key',
    'invalid_api_key',
  ]);
});

test('a charged page whose first bytes are not taken by its deadline ends its connection, and its charge is reversed (Reads: a charge is reversed otherwise)', async () => {
  requestsUsed = Number.NEGATIVE_INFINITY;
  const page = '~'.repeat(16 * 1024);
  let delivered = 0;
  const ends = new EventEmitter();
  handle = async () => ({
    ...responseOf(page),
    delivery: {
      deadlineMs: clock.now() + 1_000,
      delivered() {
        delivered += 1;
        ends.emit('end', 'delivered');
      },
      abandoned: () => void ends.emit('end', 'reversed'),
    },
  });
  const client = connect(server.port, '127.0.0.1').pause();

  // The client reads nothing, until the buffers between it and the server are full.
  for (let end = 'delivered'; end === 'delivered'; ) {
    client.write('GET /v2/things/a HTTP/1.1\r\nHost: x\r\nX-API-Key: good\r\n\r\n');
    [end] = await once(ends, 'end');
  }

  let received = 0;
  client.on('error', () => {});
  client.on('data', (part: Buffer) => {
    received += part.toString('latin1').split('~').length - 1;
  });
  await once(client.resume(), 'close');
  expect(received).toBeLessThan((delivered + 1) * page.length);
});

describe('compression', () => {
  const large = JSON.stringify({ success: true, text: 'x'.repeat(1_100) });
  const small = JSON.stringify({ success: true, text: 'x'.repeat(900) });

  test.each([
    [large, 'gzip', 'gzip', gunzipSync],
    [large, 'br', 'br', brotliDecompressSync],
    [large, 'gzip;q=0.5, br;q=0.1', 'gzip', gunzipSync],
    [large, 'identity', undefined, (bytes: Buffer) => bytes],
    [large, 'zstd', 'zstd', zstdDecompressSync],
    [large, 'compress', undefined, (bytes: Buffer) => bytes],
    [small, 'gzip, br', undefined, (bytes: Buffer) => bytes],
  ])(
    'packs from 1 KiB on with what the client takes [compression]',
    async (text, accept, expected, unpack) => {
      handle = async () => responseOf(text);

      const headers = { 'accept-encoding': accept };
      const response = await call({ path: '/v2/things/a', key: 'good', headers });

      expect(response.headers['content-encoding']).toBe(expected);
      expect(response.headers.vary).toContain('Accept-Encoding');
      expect(response.headers['content-length']).toBe(String(response.bytes.length));
      expect(unpack(response.bytes).toString()).toBe(text);
    },
  );
});

test('a body past 16 KiB is refused in every framing, and the connection stays usable [body-limits]', async () => {
  const post = { method: 'POST', path: '/v2/things/a', key: 'good' };
  const fits = JSON.stringify({ name: 'x'.repeat(16 * 1024 - 11) });
  const chunked = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };

  expect(Buffer.byteLength(fits)).toBe(16 * 1024);
  expect((await call({ ...post, body: fits })).status).toBe(200);
  expect((await call({ ...post, body: `${fits} ` })).json.error.code).toBe('payload_too_large');
  const streamed = await call({
    ...post,
    key: 'good',
    headers: chunked,
    body: 'x'.repeat(100_000),
  });
  expect(streamed.json.error.code).toBe('payload_too_large');
  requestsUsed = 0;
  expect((await call({ ...post, body: { name: 'next' } })).status).toBe(200);
});

test.each([
  ['text/plain', 415],
  ['application/xml', 415],
  ['application/json; charset=utf-16', 415],
  ['application/jsonp', 415],
  ['', 415],
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['Application/JSON;Charset="UTF-8"', 200],
  ['application/json; v=1; charset=utf8', 200],
])('a body of type %p gets %i', async (type, status) => {
  const headers = { 'content-type': type };

  const response = await call({
    method: 'POST',
    path: '/v2/things/a',
    key: 'good',
    headers,
    body: '{"name":"a"}',
  });

  expect(response.status).toBe(status);
});

test.each([
  ['half a value', '{"name":'],
  ['two values', '{} {}'],
  ['a trailing comma', '{"name":"a",}'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ['NaN', '{"name":NaN}'],
])('a body of %s is malformed', async (_case, given) => {
  const response = await call({ method: 'POST', path: '/v2/things/a', key: 'good', body: given });

  expect(response.json.error.code).toBe('malformed_json');
});

test.each([{}, { 'content-type': 'application/json' }])(
  'a missing body is required, not malformed, with the headers %j (Errors: invalid_request)',
  async (headers) => {
    const response = await call({ method: 'POST', path: '/v2/things/a', key: 'good', headers });

    expect([response.status, response.json.error.detail]).toEqual([
      422,
      { issues: [{ in: 'body', field: '', reason: 'is required' }] },
    ]);
  },
);

test('a packed body is refused rather than unpacked without a bound [compression]', async () => {
  const headers = { 'content-encoding': 'gzip' };

  const response = await call({
    method: 'POST',
    path: '/v2/things/a',
    key: 'good',
    headers,
    body: '{}',
  });

  expect(response.json.error.code).toBe('unsupported_media_type');
});

test('the secret of a Credential is in no log line', async () => {
  handle = () => Promise.reject(new TypeError('fault'));

  await call({ path: '/v2/things/good-secret', key: 'good' });

  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join()).not.toContain('good');
});
