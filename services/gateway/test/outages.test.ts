import { newRefreshId, newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { type CutWire, startCut } from './support/cut-wire.ts';
import { saveInventory } from './support/fake-revision-store.ts';
import { currentPathOf, refreshPathOf, statusPathOf } from './support/paths.ts';
import {
  type GatewayWorld,
  openWorld,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from './support/test-gateway.ts';

let world: GatewayWorld;
let wire: CutWire | undefined;

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  return await startTestGateway(world, options);
}

beforeAll(async () => {
  world = await openWorld();
});
afterEach(() => world?.reset());
afterAll(async () => {
  await world?.close();
  await wire?.close();
});

function newReader() {
  const { key, authority } = world.issue();
  const scope = newScope();
  saveInventory(world.revisions, scope);
  return { key, authority, scope };
}

test('without the collector Current works, and what needs it says 503 (Done: collector dead)', async () => {
  const gateway = await start();
  const { key, authority, scope } = newReader();
  world.collector.http.isDown = true;

  const current = await gateway.call({ path: currentPathOf(scope), key });
  const others = await Promise.all([
    gateway.call({ path: statusPathOf(newRefreshId()), key }),
    gateway.call({ method: 'POST', path: `${statusPathOf(newRefreshId())}/cancel`, key }),
    gateway.call({ path: `/v2/projects/${authority.projectId}/inventory-refreshes`, key }),
  ]);

  expect(current.status).toBe(200);
  for (const answer of others) {
    expect([answer.status, answer.json.error.code]).toEqual([503, 'service_unavailable']);
    expect(answer.headers['retry-after']).toBeDefined();
  }
});

test('without the revision-store Current says 503, and nothing is charged', async () => {
  const gateway = await start();
  const { key, authority, scope } = newReader();
  world.revisions.http.isDown = true;

  const answer = await gateway.call({ path: currentPathOf(scope), key });

  expect([answer.status, answer.json.error.code]).toEqual([503, 'service_unavailable']);
  expect(answer.json.meta).toMatchObject({ credits_charged: 0, price_version: 1 });
  const isOwn = ({ account_id }: { account_id: string }) => account_id === authority.accountId;
  expect(world.ledger.charges.filter(isOwn)).toEqual([]);
});

test.each([
  ['a revision-store that never answers', () => new Promise<never>(() => undefined)],
  ['a revision-store with a fault', () => ({ status: 500, body: 'fault' })],
])('%s is a 503 within its timeout', async (_case, answerInstead) => {
  const gateway = await start({ readTimeoutMs: 1_000 });
  const { key, scope } = newReader();
  world.revisions.answerInstead = answerInstead;
  const startMs = performance.now();

  const answer = await gateway.call({ path: currentPathOf(scope), key });

  expect(answer.json.error.code).toBe('service_unavailable');
  expect(performance.now() - startMs).toBeLessThan(3_000);
});

test('without the ledger pages say 503 billing_unavailable and refreshes go on', async () => {
  const gateway = await start({ limits: { chargeTimeoutMs: 1_500 } });
  const { key, scope } = newReader();
  world.ledger.http.isDown = true;
  world.ledger.answersCharge = () => false;

  const current = await gateway.call({ path: currentPathOf(scope), key });
  const body = { max_credits: 125 };
  const refresh = await gateway.call({ method: 'POST', path: refreshPathOf(scope), key, body });

  expect([current.status, current.json.error.code]).toEqual([503, 'billing_unavailable']);
  expect(refresh.status).toBe(202);
});

test('a gateway starts and answers while the ledger is away; only price_version is missing', async () => {
  world.ledger.http.isDown = true;
  const gateway = await start();
  const { key } = world.issue();
  const call = { path: currentPathOf(newScope()), key };

  const without = await gateway.call(call);
  world.ledger.http.isDown = false;
  await waitFor('the price list is read', async () => {
    const { json } = await gateway.call(call);
    return json.meta.price_version === 1;
  });

  expect(without.status).toBe(404);
  expect(without.json.meta).not.toHaveProperty('price_version');
});

test('without MongoDB every authenticated request is a 503 in bounded time, and then all is well', async () => {
  wire = await startCut(world.namespace.mongodbUri);
  const gateway = await start({ mongodbUri: wire.uri });
  const { key, scope } = newReader();
  const calls = () =>
    Promise.all([
      gateway.call({ path: currentPathOf(scope), key }),
      gateway.call({ path: statusPathOf(newRefreshId()), key }),
      gateway.call({ method: 'POST', path: refreshPathOf(scope), key, body: { max_credits: 125 } }),
    ]);
  expect((await calls()).map(({ status }) => status)).toEqual([200, 404, 202]);

  wire.isOpen = false;
  const startMs = performance.now();
  const answers = await calls();

  expect(answers.map(({ json }) => json.error.code)).toEqual(Array(3).fill('service_unavailable'));
  expect(performance.now() - startMs).toBeLessThan(10_000);
  wire.isOpen = true;
  await waitFor('the store is back', async () =>
    (await calls()).every(({ status }) => status < 500),
  );
});

test('a stopping gateway lets what runs end, and takes nothing new', async () => {
  const gateway = await start({ limits: { drainMs: 5_000 } });
  const { key, scope } = newReader();
  let stopped: Promise<void> | undefined;
  world.ledger.beforeCharge = async () => {
    stopped = gateway.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
  };

  const running = await gateway.call({ path: currentPathOf(scope), key });
  await stopped;

  expect(running.status).toBe(200);
  await expect(gateway.call({ path: currentPathOf(scope), key })).rejects.toThrow();
});
