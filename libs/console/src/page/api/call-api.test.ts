import { type BrowserEnvironment, createApi } from './call-api.ts';
import { createOperations } from './operations.ts';

const key = 'inv_test_secret';

function calling(respond: (init: RequestInit) => Promise<Response>) {
  const sent: { address: string; init: RequestInit }[] = [];
  const environment: BrowserEnvironment = {
    fetch: (address, init = {}) => {
      sent.push({ address: String(address), init });
      return respond(init);
    },
    nowMs: () => 0,
    chance: () => 0,
    newKey: () => 'key',
    pause: async () => {},
  };
  return { api: createApi(key, environment), sent };
}

const refusal = {
  success: false,
  error: { code: 'rate_limit_exceeded', message: 'Too many.', request_id: 'req_7' },
  meta: { request_id: 'req_7' },
};

test('the key is in the header X-API-Key, and in no address', async () => {
  const { api, sent } = calling(async () => Response.json({ data: {}, meta: {} }));
  const operations = createOperations(api, 'prj_1');

  await operations.usage({ from: '2026-01-01', to: '2026-01-31' });
  await operations.issueCredential('one', ['*'], 'issue-1');

  expect(sent.map(({ address }) => address)).toEqual([
    '/v2/account/usage?from=2026-01-01&to=2026-01-31',
    '/v2/projects/prj_1/credentials',
  ]);
  for (const { init } of sent) {
    expect(init).toMatchObject({ credentials: 'omit', redirect: 'error', cache: 'no-store' });
    expect(new Headers(init.headers).get('x-api-key')).toBe(key);
  }
  expect(new Headers(sent[1]?.init.headers).get('idempotency-key')).toBe('issue-1');
});

test('a refusal has code, message, request id and Retry-After', async () => {
  const headers = { 'Retry-After': '7' };
  const { api } = calling(async () => Response.json(refusal, { status: 429, headers }));

  await expect(api.call({ path: '/v2/account' })).rejects.toMatchObject({
    failure: {
      kind: 'refused',
      status: 429,
      code: 'rate_limit_exceeded',
      message: 'Too many.',
      requestId: 'req_7',
      retryAfterSeconds: 7,
    },
  });
});

test('a proxy that responds in its own words is a failure too', async () => {
  const { api } = calling(async () => new Response('<html>', { status: 502 }));

  await expect(api.call({ path: '/v2/account' })).rejects.toMatchObject({
    failure: { kind: 'refused', code: 'http_502', status: 502 },
  });
});

test('a gateway that does not respond, or stops within a response, ends the call: nothing waits for ever', async () => {
  const untilAborted = ({ signal }: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  const silent = calling(untilAborted);
  const halfway = calling(async ({ signal }) => {
    const body = new ReadableStream({
      start: (controller) =>
        signal?.addEventListener('abort', () => controller.error(signal.reason)),
    });
    return new Response(body);
  });
  const down = calling(() => Promise.reject(new TypeError('fetch failed')));

  await expect(silent.api.call({ path: '/v2/account', timeoutMs: 1 })).rejects.toMatchObject({
    failure: { kind: 'timeout' },
  });
  await expect(halfway.api.call({ path: '/v2/account', timeoutMs: 1 })).rejects.toMatchObject({
    failure: { kind: 'timeout' },
  });
  await expect(down.api.call({ path: '/v2/account' })).rejects.toMatchObject({
    failure: { kind: 'unreachable' },
  });
});
