import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import { loadConfig } from '../src/config.ts';
import { noPlan } from '../src/plan/published-plan.domain.ts';
import { applyFact } from '../src/saga/apply-fact.ts';
import type { Saga } from '../src/saga/open-saga.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import type { Fact } from '../src/saga/refresh-fact.domain.ts';
import type { RunScan } from '../src/scans/running-scans.ts';
import { createScanWorker, type ScanWorker } from '../src/scans/scan-worker.ts';
import type { Scans } from '../src/scans/scans.ts';
import { openStores, type Stores } from '../src/start-refresh-collector.ts';
import { acceptedRefresh } from './refresh-builder.ts';
import { requiredSettings } from './required-settings.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

const config = loadConfig(requiredSettings);

let stored: StoredRefreshes;
let stores: Stores;
let saga: Saga;
let stopping: AbortController;
const workers: ScanWorker[] = [];

beforeAll(async () => {
  stored = await openStoredRefreshes();
});
beforeEach(async () => {
  const { db, clock } = stored;
  stores = openStores(db, config, 'replica-1', clock, testLogger);
  saga = stored.openSaga(stores.refreshes);
  stopping = new AbortController();
  await Promise.all([
    stored.collection.deleteMany({}),
    db.collection('inventories').deleteMany({}),
  ]);
});
afterEach(async () => {
  stopping.abort();
  await Promise.all(workers.splice(0).map((worker) => worker.idle()));
});
afterAll(() => stored.close());

interface WorkerChanges {
  readonly store?: Scans['store'];
  readonly scansMax?: number;
  /** Pages that each replica should have; any number by default. */
  readonly partPages?: () => number;
  readonly replica?: string;
  readonly onEnded?: (mayWait: boolean) => void;
}

/** A worker whose scans read until their lease ends, and which of them it runs. */
function openWorker(changes: WorkerChanges = {}) {
  const { store = stores.scans, scansMax = 64, replica = 'replica-1' } = changes;
  const { partPages = () => Number.POSITIVE_INFINITY, onEnded = () => {} } = changes;
  const running = new Set<string>();
  const typicalPages = 1;
  const scans = only<Scans>({
    ...{ saga, store, replica, inventories: stores.inventories },
    planner: only({
      get plan() {
        return {
          ...noPlan,
          replicas: 2,
          typicalPages,
          pagesPerReplica: partPages() - typicalPages,
        };
      },
    }),
    config: { ...config, scheduling: { ...config.scheduling, scansMax } },
    identifiers: systemIdentifiers,
    stopping: stopping.signal,
  });
  const run: RunScan = ({ refresh }, { ending }) => {
    running.add(refresh.refreshId);
    const { promise, resolve } = Promise.withResolvers<void>();
    ending.addEventListener('abort', () => {
      running.delete(refresh.refreshId);
      resolve();
    });
    return promise;
  };
  const worker = createScanWorker(scans, run, onEnded);
  workers.push(worker);
  return { worker, running };
}

let inventories = 0;
function nextScope(): InventoryKey {
  inventories += 1;
  const platform_id = `76561190${String(inventories).padStart(9, '0')}`;
  return { platform_id, app_id: 730, context_id: 2 };
}

/** A started scan whose lease waits for a worker. */
async function waitingScan(
  collectMs = config.deadlines.collectMs,
  expectedPages = 1,
): Promise<Refresh> {
  const refresh = acceptedRefresh({ scope: nextScope(), phase: 'queued' });
  await stores.refreshes.insertRefresh(refresh);
  const inventory = inventoryKeyText(refresh.scope);
  const atMs = stored.clock.now();
  const deadlineMs = atMs + collectMs;
  const lease = { inventory, refreshId: refresh.refreshId, token: null, deadlineMs };
  const sequence = (await stores.inventories.openLease(lease)) ?? Number.NaN;
  const scan = { atMs, deadlineMs, sequence, worker: null, expectedPages };
  await applyFact(saga, refresh.refreshId, { fact: 'scan_started', ...scan }, 'resend');
  return refresh;
}

/** As the planner of this replica does, with a lease that it opened. */
async function startHere(
  worker: ScanWorker,
  before: Refresh | null,
  kind: 'scan_started' | 'scan_resumed',
  started: Promise<Refresh | null> = Promise.resolve(before),
): Promise<void> {
  if (before === null) throw new Error('no refresh');
  const { refreshId, scope } = before;
  const lease = { inventory: inventoryKeyText(scope), refreshId };
  const atMs = stored.clock.now();
  const start = { atMs, deadlineMs: atMs + 1, sequence: 1, worker: 'replica-1', expectedPages: 1 };
  const fact: Fact = kind === 'scan_resumed' ? { fact: kind } : { fact: kind, ...start };
  const token = worker.reserveSlot(1) ?? '';
  await worker.startScan(token, { lease, sentMs: atMs, before, fact, started });
}

/** Lets every worker poll for scans this often, a second apart. */
async function runFor(seconds: number, workers: readonly ScanWorker[]): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (const worker of workers) {
      await worker.takeWaiting();
    }
    stored.clock.advance(1_000);
  }
}

test('a scan that is resumed here is read once it is, one that another worker has claimed meanwhile is not run (architecture: fenced writes)', async () => {
  const read: string[] = [];
  const scans = {
    ...stores.scans,
    findClaimed(id: string, epoch: number) {
      read.push(id);
      return stores.scans.findClaimed(id, epoch);
    },
  };
  const { worker, running } = openWorker({ store: scans });
  const [resumed, claimed] = [await waitingScan(), await waitingScan()];
  const written = await Promise.all(
    [resumed, claimed].map(({ refreshId: id }) => stores.refreshes.findRefresh(id)),
  );
  await applyFact(saga, claimed.refreshId, { fact: 'scan_taken', worker: 'replica-2' }, 'resend');

  for (const stored of written) await startHere(worker, stored, 'scan_resumed');

  expect(read).toEqual([resumed.refreshId, claimed.refreshId]);
  expect([...running]).toEqual([resumed.refreshId]);
});

test('a scan that starts here is run while its start is written, and reads nothing of the store (Refresh)', async () => {
  const { worker, running } = openWorker();
  const refresh = acceptedRefresh({ scope: nextScope(), phase: 'queued' });
  const never = new Promise<null>(() => {});

  await startHere(worker, refresh, 'scan_started', never);

  expect([...running]).toEqual([refresh.refreshId]);
});

test('an ended scan is followed by a poll for others only where one may wait for its slot (architecture: 6)', async () => {
  const ends: boolean[] = [];
  const { worker } = openWorker({ scansMax: 1, onEnded: (mayWait) => void ends.push(mayWait) });
  const end = async ({ refreshId: id }: Refresh) => {
    const before = ends.length;
    worker.stopScan(id);
    await waitFor('the scan has ended', () => ends.length > before);
    return ends.at(-1);
  };
  const [first, second] = [await waitingScan(1_000), await waitingScan(2_000)];

  await worker.takeWaiting();
  const beforeAnother = await end(first);
  await runFor(2, [worker]);
  expect(worker.reserveSlot(1)).toBeNull();
  const beforeOneWithoutSlot = await end(second);
  const third = await waitingScan();
  await runFor(2, [worker]);
  const beforeNone = await end(third);

  expect([beforeAnother, beforeOneWithoutSlot, beforeNone]).toEqual([true, true, false]);
});

describe('several replicas', () => {
  const pagesOf = (scans: readonly Refresh[], running: ReadonlySet<string>) =>
    scans.reduce((sum, { refreshId: id }) => sum + (running.has(id) ? (pages.get(id) ?? 0) : 0), 0);
  const pages = new Map<string, number>();
  async function scansOf(...sizes: readonly number[]): Promise<Refresh[]> {
    const scans: Refresh[] = [];
    for (const size of sizes) {
      const scan = await waitingScan(undefined, size);
      pages.set(scan.refreshId, size);
      scans.push(scan);
    }
    return scans;
  }

  it('have their parts of the pages within seconds of the start of one, and keep them', async () => {
    const scans = await scansOf(...Array<number>(6).fill(25), ...Array<number>(10).fill(1));
    let partPages = Number.POSITIVE_INFINITY;
    const first = openWorker({ partPages: () => partPages });
    await first.worker.takeWaiting();
    expect(pagesOf(scans, first.running)).toBe(160);

    const second = openWorker({ partPages: () => partPages, replica: 'replica-2' });
    partPages = 80;
    await waitFor('they have their parts', async () => {
      await runFor(1, [first.worker, second.worker]);
      return pagesOf(scans, first.running) === 85 && pagesOf(scans, second.running) === 75;
    });
    const kept = [...second.running];
    await runFor(3, [first.worker, second.worker]);
    expect([...second.running]).toEqual(kept);
  });

  it('start no scan where its part is full while another one has room, but leave none waiting for long', async () => {
    const [large] = await scansOf(25);
    const { worker, running } = openWorker({ partPages: () => 20 });
    await worker.takeWaiting();
    const [small] = await scansOf(1);

    expect(worker.reserveSlot(1)).toBeNull();
    await worker.takeWaiting();
    expect(running).toEqual(new Set([large?.refreshId]));
    await runFor(2, [worker]);

    expect(running).toEqual(new Set([large?.refreshId, small?.refreshId]));
  });

  it('read the scans with the earliest deadlines after the loss of one, as many as they have slots, and the others as those end', async () => {
    const late = [await waitingScan(500_000), await waitingScan(400_000)];
    const { worker, running } = openWorker({ scansMax: 2 });
    await worker.takeWaiting();
    expect(running).toEqual(new Set(late.map(({ refreshId: id }) => id)));
    const early = [await waitingScan(300_000), await waitingScan(200_000)];

    await waitFor('the early ones are read', async () => {
      await runFor(1, [worker]);
      return running.size === 2 && early.every(({ refreshId: id }) => running.has(id));
    });
    for (const { refreshId, scope } of early) {
      await applyFact(saga, refreshId, { fact: 'scan_failed', outcome: 'private' }, 'resend');
      worker.stopScan(refreshId);
      await stores.inventories.closeLease({ inventory: inventoryKeyText(scope), refreshId });
    }
    await waitFor('they have ended', () => running.size === 0);
    await runFor(2, [worker]);

    expect(running).toEqual(new Set(late.map(({ refreshId: id }) => id)));
  });
});

describe('a worker', () => {
  it('takes the waiting scan with the earliest deadline first, however long the others wait (Refresh: Deadlines)', async () => {
    const scans = [await waitingScan(50_000), await waitingScan(20_000), await waitingScan(30_000)];
    const [longest, urgent, other] = scans.map(({ refreshId: id }) => id);
    const expireAt = (refreshId: string | undefined, timeMs: number) =>
      openCollections(stored.db).inventories.updateOne(
        { 'scan.refreshId': refreshId ?? '' },
        { $set: { lease: { owner: 'lost', until: new Date(timeMs) } } },
      );
    // As the leases of lost workers, beside one that was released.
    await expireAt(urgent, 2_000);
    await expireAt(other, 1_000);
    const taken: string[] = [];

    for (let replica = 1; replica <= 3; replica += 1) {
      const { worker, running } = openWorker({ scansMax: 1 });
      await worker.takeWaiting();
      taken.push(...running);
    }

    expect(taken).toEqual([urgent, other, longest]);
  });

  it('takes all waiting scans but one whose pages are corrupt', async () => {
    const [first, second, third] = [await waitingScan(), await waitingScan(), await waitingScan()];
    await stored.collection.updateOne(
      { _id: second.refreshId },
      { $set: { pages: [null as never] } },
    );
    const { worker, running } = openWorker();

    await worker.takeWaiting();

    expect(running).toEqual(new Set([first.refreshId, third.refreshId]));
    expect(worker.running).toBe(2);
  });
});
