import { waitFor } from '@inventory/testkit/wait-for';
import { callDocumented } from './support/call-documented.ts';
import { world } from './support/file-world.ts';
import { startTestGateway } from './support/test-gateway.ts';

const path = '/v2/account';

test('unknown keys of a peer are refused past their limit, known ones and those of other peers are not [error-codes]', async () => {
  const gateway = await startTestGateway(world, {
    unknownKeysPerMinute: 2,
    trustedProxies: ['127.0.0.0/8'],
  });
  const from = (address: string, key: string) =>
    gateway.call({ path, key, headers: { 'x-forwarded-for': address } });
  const { key } = world.issue();

  const refused = [
    await from('192.0.2.1', 'unknown-1'),
    await from('192.0.2.1', 'unknown-2'),
    await from('192.0.2.1', 'unknown-3'),
  ];
  const others = [await from('192.0.2.1', key), await from('192.0.2.2', 'unknown-4')];

  expect(refused.map(({ status }) => status)).toEqual([401, 401, 429]);
  expect(refused[2]?.json.error).toMatchObject({
    code: 'rate_limit_exceeded',
    detail: { limit: 'unknown_keys', limit_per_minute: 2 },
  });
  expect(refused[2]?.headers['retry-after']).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
  expect(refused[2]?.headers['ratelimit']).toBeUndefined();
  expect(others.map(({ status }) => status)).toEqual([200, 401]);
});

test('a peer that is being refused is served with its known keys, and on pages without a key [unknown-keys]', async () => {
  const gateway = await startTestGateway(world, { unknownKeysPerMinute: 1 });
  const { key } = world.issue();
  const call = (withKey: string, at = path) => gateway.call({ path: at, key: withKey });

  const statuses = [];
  for (const given of ['unknown-1', 'unknown-2', key, 'unknown-3', key]) {
    statuses.push((await call(given)).status);
  }

  expect(statuses).toEqual([401, 429, 200, 429, 200]);
  expect((await gateway.call({ path: '/openapi.json' })).status).toBe(200);
  expect((await gateway.call({ path })).status).toBe(401);
});

test('a key that was seen is served while every look-up of unseen ones from its address hangs [unknown-keys]', async () => {
  const [seen, unseen] = [world.issue(), world.issue()];
  const store = Promise.withResolvers<void>();
  let lookUps = 0;
  const gateway = await startTestGateway({
    ...world,
    isUnseen: (key) => key !== seen.key,
    async findPrincipal(key) {
      if (key === seen.key) return seen.principal;
      lookUps += 1;
      await store.promise;
      return world.findPrincipal(key);
    },
  });
  const call = async (key: string) => (await gateway.call({ path, key })).status;

  const keys = [unseen.key, ...Array.from({ length: 150 }, (_, index) => `unknown-${index}`)];
  const waiting = keys.map(call);
  // Two commands run at a time, and the others wait for them.
  await waitFor('both commands hang', () => lookUps >= 2);
  const served = await call(seen.key);
  const hanging = lookUps;
  store.resolve();

  expect(served).toBe(200);
  expect(hanging).toBeLessThan(keys.length);
  expect(await Promise.all(waiting)).toEqual([200, ...Array(150).fill(401)]);
});

test('a key of version 1 is refused in its own words', async () => {
  const gateway = await startTestGateway(world, { unknownKeysPerMinute: 1 });
  const v1 = { path: '/v1/platform/inventory/76561198000000000/730/2' };
  await gateway.call({ ...v1, key: 'unknown-1' });

  const refused = await callDocumented(gateway.url, { ...v1, key: 'unknown-2' });

  expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limit_exceeded']);
  expect(refused.headers['deprecation']).toMatch(/^@\d+$/);
});
