import { newRefreshId } from '@inventory/testkit/builders';
import { loadConfig } from '../src/config.ts';
import { openStores, type Stores } from '../src/open-stores.ts';
import { noPlan } from '../src/refreshes/published-plan.domain.ts';
import { acceptedRefresh } from './refresh-builder.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

const config = loadConfig({
  KAFKA_BROKERS: 'localhost:9092',
  MONGODB_URI: 'mongodb://localhost/',
  MONGODB_DATABASE: 'collector',
  HTTP_PORT: '0',
  REVISION_STORE_URL: 'http://localhost:1',
  BILLING_LEDGER_URL: 'http://localhost:1',
  PLATFORM_BASE_URL: 'http://localhost:1',
});

let stored: StoredRefreshes;
let stores: Stores;
const logged: unknown[] = [];

beforeAll(async () => {
  stored = await openStoredRefreshes();
  const { db, clock } = stored;
  const logger = { error: (details: unknown) => void logged.push(details) };
  stores = openStores(db, { config, clock, logger, replica: 'replica-1' });
});
beforeEach(async () => {
  logged.length = 0;
  await stored.collection.deleteMany({});
  await stored.db.collection('inventories').deleteMany({});
});
afterAll(() => stored.close());

const corrupt = (collection: string, documentId: string, fields: readonly string[]) =>
  expect.objectContaining({ code: 'corrupt_document', collection, documentId, fields });

async function insertRefresh(): Promise<string> {
  const id = newRefreshId();
  await stores.refreshes.insertRefresh(acceptedRefresh({ id }), {});
  return id;
}

/** As a faulty write leaves it. */
async function overwrite(collection: string, _id: unknown, fields: object): Promise<void> {
  await stored.db
    .collection(collection)
    .updateOne({ _id: _id as never }, { $set: fields }, { upsert: true });
}

test('a corrupt refresh is an error that names its fields, not a refresh', async () => {
  const id = await insertRefresh();
  await overwrite('refreshes', id, { phase: 'sleeping', maxCredits: '125' });

  await expect(stores.refreshes.findRefresh(id)).rejects.toThrow(
    `refreshes ${id}: invalid phase, maxCredits`,
  );
});

test('a corrupt refresh is skipped among the due ones, and does not keep the others from being resent', async () => {
  const [first, second] = [await insertRefresh(), await insertRefresh()];
  await overwrite('refreshes', first, { scope: null });
  stored.clock.advance(config.resend.firstMs);

  const { commands } = stores.resends;
  const due = await commands.findDue(stored.clock.now(), 10);

  expect(due.map(({ id }) => id)).toEqual([second]);
  expect(logged).toEqual([{ err: corrupt('refreshes', first, ['scope']) }]);
});

test('corrupt refreshes due first take no place among those to be resent (decisions/0013)', async () => {
  const [first, second, third] = [
    await insertRefresh(),
    await insertRefresh(),
    await insertRefresh(),
  ];
  const work = { queue: 'commands', dueAt: new Date(stored.clock.now() + 1), tries: 'many' };
  for (const id of [first, second]) await overwrite('refreshes', id, { work });
  stored.clock.advance(config.resend.firstMs);

  const due = await stores.resends.commands.findDue(stored.clock.now(), 1);

  expect(due.map(({ id }) => id)).toEqual([third]);
});

test('a corrupt refresh is skipped when scans are planned', async () => {
  const [first, second] = [await insertRefresh(), await insertRefresh()];
  await overwrite('refreshes', first, { phase: 'queued', queueDeadline: 'tomorrow' });
  await overwrite('refreshes', second, { phase: 'queued' });

  const open: string[] = [];
  for await (const found of stores.scans.readOpen()) open.push(...found.map(({ id }) => id));

  expect(open).toEqual([second]);
  expect(logged).toEqual([{ err: corrupt('refreshes', first, ['queueDeadline']) }]);
});

test('a corrupt lease is skipped among those that wait for a worker', async () => {
  const scan = { refreshId: newRefreshId(), deadline: new Date(0) };
  const seenAt = new Date(0);
  await overwrite('inventories', 'sound', { scan, seenAt });
  await overwrite('inventories', 'corrupt', { scan: { ...scan, refreshId: null }, seenAt });

  expect(await stores.inventories.findWaitingLeases(10)).toEqual([
    { inventory: 'sound', refreshId: scan.refreshId, deadlineMs: 0 },
  ]);
  expect(logged).toHaveLength(1);
});

test('corrupt leases that wait longest take no place among those of the workers (decisions/0013)', async () => {
  const seenAt = new Date(0);
  for (const id of ['corrupt-1', 'corrupt-2', 'corrupt-3']) {
    await overwrite('inventories', id, {
      scan: { refreshId: null, deadline: new Date(0) },
      seenAt,
    });
  }
  const refreshId = newRefreshId();
  await overwrite('inventories', 'behind', { scan: { refreshId, deadline: new Date(1) }, seenAt });

  expect(await stores.inventories.findWaitingLeases(1)).toEqual([
    { inventory: 'behind', refreshId, deadlineMs: 1 },
  ]);
});

test('a corrupt plan is skipped until the planner replaces it', async () => {
  await overwrite('plans', 'plan', { pagesFree: 'many' });

  expect(await stores.plans.readPlan()).toBeNull();
  expect(logged).toHaveLength(1);

  const lease = { id: 'plan', owner: 'replica-1' };
  await stores.plans.leases.acquire(lease, { set: { ...noPlan, survey: null } });
  expect(await stores.plans.readPlan()).toEqual({ plan: noPlan, survey: null });
});

test('a corrupt presence is skipped when the replicas are counted', async () => {
  await stores.replicas.announceReplica(7);
  await overwrite('replicas', 'replica-2', { seenAt: new Date(stored.clock.now()) });

  expect(await stores.replicas.countReplicas()).toEqual({ count: 1, livePagesPerMinute: 7 });
  expect(logged).toHaveLength(1);
});

test('a corrupt breaker is skipped among the others', async () => {
  const opening = { openedAtMs: 1, openUntilMs: 2, openings: 1, probeAtMs: 3 };
  await stores.breakers.saveOpening(440, opening);
  await overwrite('appBreakers', 730, { openings: null });

  expect(await stores.breakers.readOpenings()).toEqual(new Map([[440, opening]]));
  expect(logged).toHaveLength(1);
});

test('fields of the admission that nothing has written have their defaults', async () => {
  await overwrite('admission', 'admission', { operatorClosed: true });

  expect(await stores.admission.readAdmission()).toEqual({
    operatorClosed: true,
    countClosed: false,
    outstanding: 0,
    counts: 0,
  });
});
