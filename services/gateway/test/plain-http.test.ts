import { world } from './support/file-world.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

let behindProxy: TestGateway;
let alone: TestGateway;

beforeAll(async () => {
  [behindProxy, alone] = await Promise.all([
    startTestGateway(world, { trustedProxies: ['127.0.0.0/8'] }),
    startTestGateway(world),
  ]);
});

const v1 = '/inventory/76561198000000000/730/2';

test.each(['http', 'HTTP', 'http, https', ' http ,http'])(
  'what reached a trusted proxy as %j is refused, free, whatever its key (Transport)',
  async (scheme) => {
    const { key } = world.issue({ requestsPerMinute: 1 });
    const headers = { 'x-forwarded-proto': scheme };

    for (const path of ['/v2/account', `/api/v1${v1}`, `/v1/platform${v1}`, '/docs', '/']) {
      for (const given of [key, 'unknown']) {
        const {
          status,
          json,
          headers: sent,
        } = await behindProxy.call({ path, key: given, headers });
        expect([path, status, json.error.code]).toEqual([path, 422, 'invalid_request']);
        expect(json.error.detail.issues).toEqual([
          expect.objectContaining({ in: 'header', field: 'X-Forwarded-Proto' }),
        ]);
        expect([sent['location'], sent['ratelimit']]).toEqual([undefined, undefined]);
      }
    }
    // None of them counted.
    expect((await behindProxy.call({ path: '/v2/prices', key })).status).toBe(200);
  },
);

test.each(['https', 'HTTPS', 'https, http', 'httpx', ''])(
  'what reached a trusted proxy as %j is served (Transport)',
  async (scheme) => {
    const { key } = world.issue();
    const headers = { 'x-forwarded-proto': scheme };

    expect((await behindProxy.call({ path: '/v2/prices', key, headers })).status).toBe(200);
  },
);

test('the word of any other peer is ignored (Transport)', async () => {
  const { key } = world.issue();
  const headers = { 'x-forwarded-proto': 'http' };

  expect((await alone.call({ path: '/v2/prices', key, headers })).status).toBe(200);
});
