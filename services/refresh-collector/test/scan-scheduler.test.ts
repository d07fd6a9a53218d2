import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { SavedObservation } from '@inventory/contracts/messages/revision';
import type { InternalClient } from '@inventory/http/internal-client';
import { Bug } from '@inventory/runtime/bug';
import { processCpuMs } from '@inventory/runtime/clock';
import { newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { passingStoreErrors } from '@inventory/testkit/passing-store-errors';
import { loadConfig } from '../src/config.ts';
import { openObservations } from '../src/observations/open-observations.ts';
import { createPlannerLease } from '../src/plan/planner-lease.ts';
import type { Planning } from '../src/planning/planning.ts';
import { createScanScheduler } from '../src/planning/scan-scheduler.ts';
import { planLimits } from '../src/planning/start-scanning.ts';
import { applyFact } from '../src/saga/apply-fact.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import type { ChangedRefresh } from '../src/saga/refresh-document.ts';
import type { Scans } from '../src/scans/scans.ts';
import { openStores, type Stores } from '../src/start-refresh-collector.ts';
import { acceptedRefresh } from './refresh-builder.ts';
import { requiredSettings } from './required-settings.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

const config = loadConfig(requiredSettings);

let stored: StoredRefreshes;
let stores: Stores;

beforeAll(async () => {
  stored = await openStoredRefreshes();
});
beforeEach(async () => {
  const { db, clock } = stored;
  stores = openStores(db, config, 'replica-1', clock, testLogger);
  await Promise.all([
    stored.collection.deleteMany({}),
    db.collection('inventories').deleteMany({}),
    db.collection('plans').deleteMany({}),
  ]);
});
afterAll(() => stored.close());

/** The planner of a replica without workers: what it starts waits for one. */
function openScheduler(
  changed: Partial<Scans> = {},
  replica = 'replica-1',
  planning: Partial<Planning> = {},
) {
  const { db, clock } = stored;
  const own = openStores(db, config, replica, clock, testLogger);
  const planner = createPlannerLease(own.plans, own.replicas, replica, clock, testLogger);
  const scans = only<Scans>({
    saga: stored.openSaga(own.refreshes),
    store: own.scans,
    inventories: own.inventories,
    planner,
    egress: egressAllowing('all'),
    replica,
    ...changed,
  });
  return createScanScheduler({
    scans,
    observations: only({ takeInstead: async () => null }),
    worker: only({
      reserveSlot: () => null,
      startScan: () => Promise.resolve(),
      stopScan: () => {},
    }),
    limits: planLimits(config),
    ...planning,
  });
}

const egressAllowing = (allowance: 'all' | 'none') =>
  only<Scans['egress']>({
    pool: only({ identityStates: () => stores.identities.loadIdentities(['identity-1']) }),
    breakers: only({ scanAllowance: () => allowance }),
    pageMs: () => 500,
  });

async function expirePlanner(): Promise<void> {
  const expired = { $set: { 'lease.until': new Date(0) } };
  await stores.collections.plans.updateOne({ _id: 'plan' }, expired);
}

let inventories = 0;
/** A queued refresh of an inventory of its own. */
async function queue(of: Partial<Refresh> = {}): Promise<Refresh> {
  inventories += 1;
  const scope = {
    platform_id: `76561190${String(inventories).padStart(9, '0')}`,
    app_id: 730,
    context_id: 2,
  };
  const queueDeadlineMs = stored.clock.now() + config.deadlines.queueMs;
  const refresh = acceptedRefresh({ scope, phase: 'queued', queueDeadlineMs, ...of });
  await stores.refreshes.insertRefresh(refresh);
  await stored.collection.updateOne(
    { _id: refresh.refreshId },
    { $currentDate: { changedAt: true } },
  );
  return refresh;
}

/** A replica that reads every refresh from the store: as one does after its start. */
function withoutCache(): Partial<Scans> {
  return { saga: stored.openSaga({ ...stores.refreshes, cachedRefresh: () => null }) };
}

const stateOf = async ({ refreshId: id }: Refresh) =>
  (await stores.refreshes.findRefresh(id))?.phase;

/** Counts what the planner reads of changes, and the size of each batch. */
function countedChanges(): { readonly store: Stores['scans']; readonly batches: number[] } {
  const batches: number[] = [];
  const { scans } = stores;
  async function* counted(found: AsyncIterable<readonly ChangedRefresh[]>) {
    for await (const batch of found) {
      batches.push(batch.length);
      yield batch;
    }
  }
  return {
    batches,
    store: { ...scans, readChangedSince: (timeMs) => counted(scans.readChangedSince(timeMs)) },
  };
}

/** As refreshes of the last thirty days leave them. */
async function insertEnded(count: number, changedAt: Date): Promise<void> {
  await queue({ phase: 'completed' });
  const like = await stored.collection.findOneAndDelete({ phase: 'completed' });
  if (!like) throw new Error('nothing stored');
  const ended = Array.from({ length: count }, (_, index) => ({
    ...like,
    _id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}` as Refresh['refreshId'],
    changedAt,
  }));
  await stored.collection.insertMany(ended);
}

describe('a planner that takes over', () => {
  it('while nothing is queued reads no refresh that ended before (Refresh: one replica plans for all)', async () => {
    await insertEnded(50, new Date(stored.clock.now() - 86_400_000));
    const { store, batches } = countedChanges();
    const scheduler = openScheduler({ store });

    for (let run = 0; run < 3; run += 1) await scheduler.runOnce();

    expect(batches).toEqual([]);
  });

  it('reads any number of changes in batches of bounded size', async () => {
    const { store, batches } = countedChanges();
    const scheduler = openScheduler({ store });
    await scheduler.runOnce();
    await insertEnded(1_200, new Date(Date.now() + 1_000));

    await scheduler.runOnce();

    expect(batches).toEqual([500, 500, 200]);
  });

  it('plans what this replica changed itself without a read of what others did, for a quarter of a second', async () => {
    const { store, batches } = countedChanges();
    const scheduler = openScheduler({ store });
    await scheduler.runOnce();
    const [own, later] = [await queue(), await queue()];

    scheduler.onRefreshChanged(own);
    await scheduler.runOnce();
    expect([await stateOf(own), batches.length]).toEqual(['collecting', 0]);

    stored.clock.advance(250);
    scheduler.onRefreshChanged(later);
    await scheduler.runOnce();
    expect(batches).not.toEqual([]);
  });

  it('keeps its lease while it reads, however many refreshes are queued', async () => {
    await insertEnded(1_200, new Date());
    await stored.collection.updateMany({}, { $set: { phase: 'queued' } });
    const { scans } = stores;
    async function* slowly() {
      for await (const found of scans.readOpen()) {
        stored.clock.advance(config.scheduling.leaseMs / 2);
        await expirePlanner();
        yield found;
      }
    }
    const scheduler = openScheduler({ store: { ...scans, readOpen: slowly } });

    await scheduler.runOnce();

    expect(await stores.plans.leases.acquire({ id: 'plan', owner: 'other' })).toBeNull();
  });

  it('plans nothing before it has read every refresh, however often that fails', async () => {
    const refresh = await queue();
    let failures = 2;
    const scheduler = openScheduler({
      store: {
        ...stores.scans,
        async *readOpen() {
          yield* stores.scans.readOpen();
          failures -= 1;
          if (failures >= 0) throw new Error('connection lost');
        },
      },
    });

    await expect(scheduler.runOnce()).rejects.toThrow('connection lost');
    scheduler.onRefreshChanged(refresh);
    await expect(scheduler.runOnce()).rejects.toThrow('connection lost');
    expect(await stateOf(refresh)).toBe('queued');
    await scheduler.runOnce();

    expect(await stateOf(refresh)).toBe('collecting');
    const lease = await stored.db
      .collection<{ _id: string }>('inventories')
      .findOne({ _id: inventoryKeyText(refresh.scope) });
    expect(lease).toMatchObject({ scan: { refreshId: refresh.refreshId } });
  });
});

describe('after a change of the planner', () => {
  it('the scans that the last one reserved continue, and one that reported more pages meanwhile is parked', async () => {
    const saga = stored.openSaga(stores.refreshes);
    const report = ({ refreshId: id }: Refresh, reportedTotalCount: number) => {
      const fact = { fact: 'page_recorded', reportedTotalCount, assetsRead: 2_000 } as const;
      return applyFact(saga, id, fact, 'resend');
    };
    const first = openScheduler();
    const reserved = await queue();
    await first.runOnce();
    await report(reserved, 240_000);
    const larger = await queue({ expectedPages: 1 });
    for (let second = 0; second < 3; second += 1) {
      await first.runOnce();
      stored.clock.advance(1_000);
    }
    await report(larger, 200_000);

    await expirePlanner();
    await openScheduler({}, 'replica-2').runOnce();

    const isParked = async ({ refreshId: id }: Refresh) =>
      (await stores.refreshes.findRefresh(id))?.scan?.parked;
    expect([await isParked(reserved), await isParked(larger)]).toEqual([false, true]);
  });
});

test('scans start beside any other work of the process: the pause after a plan follows its own CPU time alone', async () => {
  const workMs = 150;
  const reserveSlot = () => {
    const endMs = processCpuMs() + workMs;
    while (processCpuMs() < endMs);
    return null;
  };
  const worker = only<Planning['worker']>({ reserveSlot, startScan: () => Promise.resolve() });
  const scheduler = openScheduler({}, 'replica-1', { worker });
  const refresh = await queue();
  await scheduler.runOnce();

  expect(await stateOf(refresh)).toBe('collecting');
  expect(scheduler.planCpuMs).toBeGreaterThan(0);
  expect(scheduler.planCpuMs).toBeLessThan(workMs);
});

test('a planner whose clock is set back plans and reads changes all the same (Refresh: one replica plans for all)', async () => {
  const scheduler = openScheduler();
  await scheduler.runOnce();
  stored.clock.advance(-86_400_000);
  const queued = await queue();

  await scheduler.runOnce();
  stored.clock.advance(86_400_000);

  expect(await stateOf(queued)).toBe('collecting');
});

test.each(['that of its planner is right', 'that of its planner is set back meanwhile'])(
  'a refresh whose deadline was written by a clock a day ahead waits no longer than any other, and %s (Refresh: every phase has a deadline)',
  async (planner) => {
    const scheduler = openScheduler({ egress: egressAllowing('none') });
    await scheduler.runOnce();
    const dayMs = 86_400_000;
    const { queueMs } = config.deadlines;
    const queued = await queue({ queueDeadlineMs: stored.clock.now() + dayMs + queueMs });
    await scheduler.runOnce();
    const isSetBack = planner.endsWith('meanwhile');
    if (isSetBack) {
      stored.clock.advance(-dayMs);
      await scheduler.runOnce();
    }
    stored.clock.advance(queueMs - 1_000);
    await scheduler.runOnce();
    const before = await stateOf(queued);
    stored.clock.advance(2_000);

    await scheduler.runOnce();
    if (isSetBack) stored.clock.advance(dayMs);

    expect([before, await stateOf(queued)]).toEqual(['queued', 'settling']);
  },
);

describe('two refreshes of one inventory at the same time', () => {
  it('share a scan where the later allows an observation of it: no second one starts, and both are settled (Freshness) [max-age-seconds]', async () => {
    const saga = stored.openSaga(stores.refreshes);
    const first = await queue();
    const later = await queue({
      scope: first.scope,
      freshness: { maxAgeSeconds: 60, priceVersion: 1 },
    });
    let latest: SavedObservation | null = null;
    const client = only<InternalClient>({ call: (async () => latest) as never });
    const observations = openObservations(saga, stores.refreshLists, client);
    const scheduler = openScheduler({ saga }, 'replica-1', { observations });
    const run = async () => {
      stored.clock.advance(1_000);
      await scheduler.runOnce();
    };

    await run();
    const completedAtMs = stored.clock.now();
    await applyFact(saga, first.refreshId, { fact: 'scan_completed', completedAtMs }, 'resend');
    await stores.inventories.closeLease({
      inventory: inventoryKeyText(first.scope),
      refreshId: first.refreshId,
    });
    await run();
    expect([await stateOf(first), await stateOf(later)]).toEqual(['assembling', 'queued']);

    latest = {
      revisionId: 'invrev_0198c0de-0000-7000-8000-000000000003',
      verifiedAtMs: completedAtMs,
      language: 'english',
      observedAssets: 2_001,
      changed: true,
      previousRevisionId: null,
    };
    stored.clock.advance(10_000);
    await run();

    expect(await stores.refreshes.findRefresh(later.refreshId)).toMatchObject({
      phase: 'settling',
      outcome: 'complete_changed',
      observedAssets: 2_001,
      revisionId: latest.revisionId,
      scan: null,
    });
    expect(saga.sent.map(({ id }) => id)).toContain(`settle:${later.refreshId}`);
  });
});

describe('a refresh whose planned step fails', () => {
  const one = { expectedPages: 1 };
  /** As a faulty write leaves it: planning does not read what is missing. */
  const corrupt = ({ refreshId: id }: Refresh) =>
    stored.collection.updateOne({ _id: id }, { $unset: { billing: '' } });
  const running = async (refreshes: readonly Refresh[]) =>
    (await stored.collection.find({ phase: 'collecting' }).toArray())
      .map(({ _id }) => refreshes.findIndex(({ refreshId: id }) => id === _id))
      .toSorted((left, right) => left - right);

  it('keeps no other one from its scan, is set aside after five failures, and starts once it is repaired', async () => {
    const refreshes = [await queue(one), await queue(one), await queue(one)];
    const [bad] = refreshes;
    if (!bad) throw new Error('nothing queued');
    const { billing } = bad;
    await corrupt(bad);
    const scheduler = openScheduler(withoutCache());

    await scheduler.runOnce();
    expect(await running(refreshes)).toEqual([1, 2]);
    for (let failures = 1; failures < 5; failures += 1) {
      expect(scheduler.setAside).toBe(0);
      stored.clock.advance(60_000);
      await scheduler.runOnce();
    }
    expect(scheduler.setAside).toBe(1);
    await stored.collection.updateOne({ _id: bad.refreshId }, { $set: { billing } });
    stored.clock.advance(300_000);
    await scheduler.runOnce();

    expect(await running(refreshes)).toEqual([0, 1, 2]);
    expect(scheduler.setAside).toBe(0);
  });

  it('keeps no other one from being planned where its lease cannot be opened again after a crash', async () => {
    const lost = await queue(one);
    await openScheduler().runOnce();
    await stored.db.collection('inventories').deleteMany({});
    const other = await queue(one);
    const { inventories: store } = stores;
    const openLease: typeof store.openLease = (lease) =>
      lease.refreshId === lost.refreshId
        ? Promise.reject(new Bug('corrupt'))
        : store.openLease(lease);
    await expirePlanner();

    await openScheduler({ inventories: { ...store, openLease } }, 'replica-2').runOnce();

    expect(await stateOf(other)).toBe('collecting');
  });

  it('takes no turn from the others, however many such refreshes are queued before them', async () => {
    for (let count = 0; count < 12; count += 1) await corrupt(await queue(one));
    const queueDeadlineMs = stored.clock.now() + 2 * config.deadlines.queueMs;
    const good = await queue({ ...one, queueDeadlineMs });
    const limits = { ...planLimits(config), scansMax: 4 };
    const scheduler = openScheduler(withoutCache(), 'replica-1', { limits });

    for (let second = 0; second < 15; second += 1) {
      await scheduler.runOnce();
      stored.clock.advance(1_000);
    }

    expect(await stateOf(good)).toBe('collecting');
  });

  it('is retried after pauses where another refresh holds its inventory, and takes no turn from the others', async () => {
    for (let count = 0; count < 12; count += 1) await queue(one);
    const seenAt = new Date(stored.clock.now());
    const held = await stored.collection.find({}).toArray();
    const lost = { owner: 'lost', until: new Date(8e12) };
    const scan = { refreshId: newRefreshId(), deadlineMs: stored.clock.now() };
    await stores.collections.inventories.insertMany(
      held.map(({ scopeKey }) => ({ _id: scopeKey, seenAt, scan, lease: lost })),
    );
    const queueDeadlineMs = stored.clock.now() + 2 * config.deadlines.queueMs;
    const good = await queue({ ...one, queueDeadlineMs });
    const ended = await queue({ phase: 'completed' });
    let requests = 0;
    const openLease: Stores['inventories']['openLease'] = (lease) => {
      requests += 1;
      return stores.inventories.openLease(lease);
    };
    const limits = { ...planLimits(config), scansMax: 4 };
    const scheduler = openScheduler(
      { inventories: { ...stores.inventories, openLease } },
      'replica-1',
      { limits },
    );

    for (let run = 0; run < 40; run += 1) {
      await scheduler.runOnce();
      scheduler.onRefreshChanged(ended);
      stored.clock.advance(250);
    }

    expect(await stateOf(good)).toBe('collecting');
    // Four or five in ten seconds of each, not forty.
    expect(requests).toBeLessThan(12 * 7);
    await stores.collections.inventories.deleteMany({ 'lease.owner': 'lost' });
    stored.clock.advance(300_000);
    await scheduler.runOnce();
    expect((await running([good])).length).toBeGreaterThan(1);
  });

  it('is not set aside while MongoDB is unavailable: everything starts with the first plan after its return', async () => {
    const refreshes = [await queue(one), await queue(one), await queue(one)];
    let failure: Error | null = null;
    const { inventories: store } = stores;
    const openLease: typeof store.openLease = (lease) =>
      failure === null ? store.openLease(lease) : Promise.reject(failure);
    const scheduler = openScheduler({ inventories: { ...store, openLease } });

    for (const [, error] of passingStoreErrors) {
      failure = error;
      await expect(scheduler.runOnce()).rejects.toBe(error);
      stored.clock.advance(1_000);
    }
    failure = null;
    await scheduler.runOnce();

    expect(await running(refreshes)).toEqual([0, 1, 2]);

    // As a planner that crashed leaves them.
    await stores.collections.inventories.deleteMany({});
    await expirePlanner();
    const next = openScheduler({ inventories: { ...store, openLease } }, 'replica-2');
    for (const [, error] of passingStoreErrors) {
      failure = error;
      await expect(next.runOnce()).rejects.toBe(error);
    }
    failure = null;
    await next.runOnce();

    expect(await stores.collections.inventories.countDocuments({ scan: { $exists: true } })).toBe(
      3,
    );
  });
});
