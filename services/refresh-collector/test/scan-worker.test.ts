import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { testLogger } from '@inventory/testkit/namespace';
import { openCollections } from '../src/collections.ts';
import { loadConfig } from '../src/config.ts';
import { openStores, type Stores } from '../src/open-stores.ts';
import { applyFact, type SagaDeps } from '../src/refreshes/apply-fact.ts';
import type { Refresh } from '../src/refreshes/refresh.domain.ts';
import { createScanWorker, type ScanWorkerDeps } from '../src/scans/scan-worker.ts';
import { acceptedRefresh } from './refresh-builder.ts';
import { requiredSettings } from './required-settings.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

const config = loadConfig(requiredSettings);

let stored: StoredRefreshes;
let stores: Stores;
let saga: SagaDeps;
let stopping: AbortController;

beforeAll(async () => {
  stored = await openStoredRefreshes();
});
beforeEach(async () => {
  const { db, clock } = stored;
  stores = openStores(db, { config, clock, logger: testLogger, replica: 'replica-1' });
  saga = stored.openSaga(stores.refreshes);
  stopping = new AbortController();
  await Promise.all([
    stored.collection.deleteMany({}),
    db.collection('inventories').deleteMany({}),
  ]);
});
afterEach(() => stopping.abort());
afterAll(() => stored.close());

/** A worker whose scans read until their lease ends, and which of them it runs. */
function openWorker(changed: Partial<ScanWorkerDeps> = {}) {
  const running = new Set<string>();
  const worker = createScanWorker({
    ...stores,
    saga,
    run: ({ refresh }, { signal }) => {
      running.add(refresh.id);
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => {
        running.delete(refresh.id);
        resolve();
      });
      return promise;
    },
    replica: 'replica-1',
    scansMax: () => 64,
    leaseMs: config.scheduling.leaseMs,
    stopping: stopping.signal,
    onEnded: () => {},
    clock: stored.clock,
    identifiers: systemIdentifiers,
    logger: testLogger,
    ...changed,
  });
  return { worker, running };
}

let inventories = 0;
function nextScope(): InventoryKey {
  inventories += 1;
  const platform_id = `76561190${String(inventories).padStart(9, '0')}`;
  return { platform_id, app_id: 730, context_id: 2 };
}

/** A started scan whose lease waits for a worker. */
async function waitingScan(collectMs = config.deadlines.collectMs): Promise<Refresh> {
  const refresh = acceptedRefresh({ scope: nextScope(), phase: 'queued' });
  await stores.refreshes.insertRefresh(refresh, {});
  const inventory = inventoryKeyText(refresh.scope);
  const atMs = stored.clock.now();
  const deadlineMs = atMs + collectMs;
  const lease = { inventory, refreshId: refresh.id, token: null, deadlineMs };
  const sequence = (await stores.inventories.openLease(lease)) ?? Number.NaN;
  const scan = { atMs, deadlineMs, sequence, worker: null, expectedPages: 1 };
  await applyFact(saga, refresh.id, { fact: 'scan_started', ...scan }, 'outbox');
  return refresh;
}

describe('a worker', () => {
  it('takes the waiting scan with the earliest deadline first, however long the others wait (Refresh: Deadlines)', async () => {
    const scans = [await waitingScan(50_000), await waitingScan(20_000), await waitingScan(30_000)];
    const [longest, urgent, other] = scans.map(({ id }) => id);
    const expireAt = (refreshId: string | undefined, leaseUntil: Date) =>
      openCollections(stored.db).inventories.updateOne(
        { 'scan.refreshId': refreshId ?? '' },
        { $set: { 'scan.leaseUntil': leaseUntil } },
      );
    // As the lease of a lost worker, beside one that was just released.
    await expireAt(urgent, new Date(stored.clock.now()));
    await expireAt(other, new Date(stored.clock.now() - 1_000));
    let scansMax = 0;
    const { worker, running } = openWorker({ scansMax: () => scansMax });
    const taken: string[] = [];

    for (scansMax = 1; scansMax <= 3; scansMax += 1) {
      await worker.takeWaiting();
      taken.push(...[...running].filter((id) => !taken.includes(id)));
    }

    expect(taken).toEqual([urgent, other, longest]);
  });

  it('takes all waiting scans but one whose pages are corrupt', async () => {
    const [first, second, third] = [await waitingScan(), await waitingScan(), await waitingScan()];
    await stored.collection.updateOne({ _id: second.id }, { $set: { pages: [null as never] } });
    const { worker, running } = openWorker();

    await worker.takeWaiting();

    expect(running).toEqual(new Set([first.id, third.id]));
    expect(worker.running).toBe(2);
  });
});
