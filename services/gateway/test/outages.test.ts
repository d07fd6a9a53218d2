import { newRefreshId, newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { type CutWire, startCut } from './support/cut-wire.ts';
import { saveInventory } from './support/fake-revision-store.ts';
import { gateway, world } from './support/file-gateway.ts';
import { currentPathOf, refreshPathOf, statusPathOf } from './support/paths.ts';
import { farMs, patientDeadlines } from './support/patience.ts';
import {
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from './support/test-gateway.ts';

let wire: CutWire | undefined;

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  return await startTestGateway(world, options);
}

afterAll(() => wire?.close());

function newReader() {
  const { key, principal } = world.issue();
  const scope = newScope();
  saveInventory(world.revisions, scope);
  return { key, principal, scope };
}

test('without the collector Current works, and what needs it says 503 (Done: collector dead)', async () => {
  const { key, principal, scope } = newReader();
  world.collector.http.isDown = true;

  const current = await gateway.call({ path: currentPathOf(scope), key });
  const others = await Promise.all([
    gateway.call({ path: statusPathOf(newRefreshId()), key }),
    gateway.call({ method: 'POST', path: `${statusPathOf(newRefreshId())}/cancel`, key }),
    gateway.call({ path: `/v2/projects/${principal.projectId}/inventory-refreshes`, key }),
  ]);

  expect(current.status).toBe(200);
  for (const response of others) {
    expect([response.status, response.json.error.code]).toEqual([503, 'service_unavailable']);
    expect(response.headers['retry-after']).toBeDefined();
  }
});

test('without the revision-store Current says 503, and nothing is charged', async () => {
  const { key, principal, scope } = newReader();
  world.revisions.http.isDown = true;

  const response = await gateway.call({ path: currentPathOf(scope), key });

  expect([response.status, response.json.error.code]).toEqual([503, 'service_unavailable']);
  expect(response.json.meta).toMatchObject({ credits_charged: 0, price_version: 1 });
  const isOwn = ({ accountId }: { accountId: string }) => accountId === principal.accountId;
  expect(world.ledger.charges.filter(isOwn)).toEqual([]);
});

test('a revision-store that never answers is a 503 after its timeout', async () => {
  const hasty = await start({ revisionStoreTimeoutMs: 300 });
  const { key, scope } = newReader();
  world.revisions.respondInstead = () => new Promise<never>(() => undefined);

  const response = await hasty.call({ path: currentPathOf(scope), key });

  expect(response.json.error.code).toBe('service_unavailable');
  await hasty.stop();
});

test('without the ledger pages are 503 billing_unavailable and refreshes work [billing-unavailable]', async () => {
  const { key, principal, scope } = newReader();
  world.ledger.http.isDown = true;
  world.ledger.decidesCharge = () => false;

  const reading = gateway.call({ path: currentPathOf(scope), key });
  await waitFor('the charge is sent', () =>
    world.ledger.charges.some(({ accountId }) => accountId === principal.accountId),
  );
  gateway.cutReplies();
  const current = await reading;
  const body = { max_credits: 125 };
  const refresh = await gateway.call({ method: 'POST', path: refreshPathOf(scope), key, body });

  expect([current.status, current.json.error.code]).toEqual([503, 'billing_unavailable']);
  expect(refresh.status).toBe(202);
});

test('a gateway starts and responds without the ledger; only price_version is missing', async () => {
  world.ledger.http.isDown = true;
  const early = await start();
  const { key } = world.issue();
  const call = { path: currentPathOf(newScope()), key };

  const without = await early.call(call);
  world.ledger.http.isDown = false;
  await waitFor('the price list is read', async () => {
    const { json } = await early.call(call);
    return json.meta.price_version === 1;
  });

  expect(without.status).toBe(404);
  expect(without.json.meta).not.toHaveProperty('price_version');
  await early.stop();
});

test('without MongoDB every authenticated request is a 503 in bounded time, and then all is well', async () => {
  wire = await startCut(world.namespace.mongodbUri);
  const deadlines = { ...patientDeadlines };
  const remote = await start({ mongodbUri: wire.uri, deadlines });
  const { key, scope } = newReader();
  const calls = () =>
    Promise.all([
      remote.call({ path: currentPathOf(scope), key }),
      remote.call({ path: statusPathOf(newRefreshId()), key }),
      remote.call({ method: 'POST', path: refreshPathOf(scope), key, body: { max_credits: 125 } }),
    ]);
  expect((await calls()).map(({ status }) => status)).toEqual([200, 404, 202]);

  wire.isOpen = false;
  deadlines.lookUpMs = 300;
  const responses = await calls();

  expect(responses.map(({ json }) => json.error.code)).toEqual(
    Array(3).fill('service_unavailable'),
  );
  deadlines.lookUpMs = farMs;
  wire.isOpen = true;
  await waitFor('the store is back', async () =>
    (await calls()).every(({ status }) => status < 500),
  );
  await remote.stop();
});

test('a stopping gateway lets what runs end, and takes nothing new', async () => {
  const leaving = await start({ limits: { drainMs: farMs }, stopDeadlineMs: farMs });
  const { key, scope } = newReader();
  const call = { path: currentPathOf(scope), key };
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  world.ledger.beforeCharge = () => {
    begun.resolve();
    return gate.promise;
  };

  const running = leaving.call(call);
  await begun.promise;
  const stopped = leaving.stop();
  await expect(leaving.call(call)).rejects.toThrow();
  gate.resolve();

  expect((await running).status).toBe(200);
  await stopped;
});
