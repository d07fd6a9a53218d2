import { newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { loadConfig } from '../src/config.ts';
import { freshIdentity, type IdentityState } from '../src/egress/egress-identity.domain.ts';
import { noPlan } from '../src/plan/published-plan.domain.ts';
import { openStores, type Stores } from '../src/start-refresh-collector.ts';
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
  stores = openStores(db, config, 'replica-1', clock, only(logger));
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
  await stores.refreshes.insertRefresh(acceptedRefresh({ refreshId: id }));
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
    `refreshes ${id}: invalid maxCredits, phase`,
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

test('corrupt refreshes due first hide none of those to be resent (decisions/0013)', async () => {
  const [first, second, third] = [
    await insertRefresh(),
    await insertRefresh(),
    await insertRefresh(),
  ];
  const work = { queue: 'commands', dueAtMs: stored.clock.now() + 1, tries: 'many' };
  for (const id of [first, second]) await overwrite('refreshes', id, { work });
  stored.clock.advance(config.resend.firstMs);

  const due = await stores.resends.commands.findDue(stored.clock.now(), 1);

  expect(due.map(({ id }) => id)).toEqual([third]);
});

test('a corrupt refresh is skipped when scans are planned', async () => {
  const [first, second] = [await insertRefresh(), await insertRefresh()];
  await overwrite('refreshes', first, { phase: 'queued', queueDeadlineMs: 'tomorrow' });
  await overwrite('refreshes', second, { phase: 'queued' });

  const open: string[] = [];
  for await (const found of stores.scans.readOpen())
    open.push(...found.map(({ refreshId: id }) => id));

  expect(open).toEqual([second]);
  expect(logged).toEqual([{ err: corrupt('refreshes', first, ['queueDeadlineMs']) }]);
});

test('a corrupt lease is skipped among those that wait for a worker', async () => {
  const scan = { refreshId: newRefreshId(), deadlineMs: 0 };
  const seenAt = new Date(0);
  await overwrite('inventories', 'sound', { scan, seenAt });
  await overwrite('inventories', 'corrupt', { scan: { ...scan, refreshId: null }, seenAt });

  expect(await stores.inventories.findWaitingLeases(10)).toEqual([
    { inventory: 'sound', refreshId: scan.refreshId, deadlineMs: 0 },
  ]);
  expect(logged).toHaveLength(1);
});

test('corrupt leases that wait longest hide none of those of the workers (decisions/0013)', async () => {
  const seenAt = new Date(0);
  for (const id of ['corrupt-1', 'corrupt-2', 'corrupt-3']) {
    await overwrite('inventories', id, {
      scan: { refreshId: null, deadlineMs: 0 },
      seenAt,
    });
  }
  const refreshId = newRefreshId();
  await overwrite('inventories', 'behind', { scan: { refreshId, deadlineMs: 1 }, seenAt });

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
  await overwrite('replicas', 'replica-2', { seenAt: new Date() });

  expect(await stores.replicas.countReplicas()).toEqual({ count: 1, livePagesPerMinute: 7 });
  expect(logged).toHaveLength(1);
});

test('a corrupt breaker is skipped among the others', async () => {
  const opening = { openedAtMs: 1, openUntilMs: 2, openings: 1, probeAtMs: 3 };
  await stores.breakers.saveOpening(440, opening);
  await overwrite('appBreakers', 730, { openings: null });

  expect(await stores.breakers.readOpenings(0)).toEqual(new Map([[440, opening]]));
  expect(logged).toHaveLength(1);
});

test('a corrupt egress identity begins anew, and keeps no other from the platform (decisions/0013)', async () => {
  const ids = ['sound', 'corrupt-time', 'corrupt-version', 'empty', 'missing'];
  const sound = { ...freshIdentity('sound'), version: 3, refusals: 2, liveCredit: 0.5 };
  await stores.identities.loadIdentities(['sound']);
  await stores.identities.saveIdentity(freshIdentity('sound'), sound);
  await overwrite('identities', 'corrupt-time', { ...sound, arrivalMs: 'tomorrow', id: null });
  await overwrite('identities', 'corrupt-version', { ...sound, version: 'four', id: null });
  await overwrite('identities', 'empty', {});

  const read = await stores.identities.loadIdentities(ids);
  const next = (state: IdentityState) => ({ ...state, version: state.version + 1 });
  const saved = read.map((state) => stores.identities.saveIdentity(state, next(state)));

  expect(new Set(read)).toEqual(new Set([sound, ...ids.slice(1).map(freshIdentity)]));
  expect(await Promise.all(saved)).not.toContain(null);
  expect(logged).toHaveLength(3);
});

test('a corrupt egress identity that another replica has replaced stays as that one left it', async () => {
  await overwrite('identities', 'raced', { version: 'four' });
  const { identities } = stores;

  const [one, other] = await Promise.all([
    identities.loadIdentities(['raced']),
    identities.loadIdentities(['raced']),
  ]);
  const used = { ...freshIdentity('raced'), version: 1, refusals: 1 };
  const saves = await Promise.all(
    [...one, ...other].map((read) => identities.saveIdentity(read, used)),
  );

  expect(saves.filter(Boolean)).toHaveLength(1);
  expect(await identities.loadIdentities(['raced'])).toEqual([used]);
});

test('a corrupt refresh is left out of the list of its Project, which goes on after it', async () => {
  const projectId = newProjectId();
  const ids: string[] = [];
  for (let serial = 0; serial < 5; serial += 1) {
    const refresh = acceptedRefresh({
      refreshId: newRefreshId(),
      projectId,
      requestedAtMs: serial,
    });
    await stores.refreshes.insertRefresh(refresh);
    ids.push(refresh.refreshId);
  }
  for (const id of [ids[4], ids[3], ids[1]]) await overwrite('refreshes', id, { maxCredits: [] });
  const query = { projectId, states: [], refreshIds: [], before: null };

  const page = await stores.refreshLists.listRefreshes({ ...query, limit: 1 });
  const all = await stores.refreshLists.listRefreshes({ ...query, limit: 10 });

  expect(page).toMatchObject({ items: [{ refreshId: ids[2] }], hasMore: true });
  expect(all).toMatchObject({
    items: [{ refreshId: ids[2] }, { refreshId: ids[0] }],
    hasMore: false,
  });
});

test('a corrupt quarter of an hour is left out of the status', async () => {
  const quarter = { startMs: 900_000, completed: 1, failed: 2, waits: [3] };
  await stores.quarterHours.add(quarter);
  await overwrite('quarterHours', 1_800_000, { completed: null });

  expect(await stores.quarterHours.readSince(0)).toEqual([quarter]);
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
