import { type MongoConnection, readStoreTime } from '@inventory/mongo/connect';
import { newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import { collectorIndexes, openCollections } from '../src/collections.ts';
import { createReplicaStore } from '../src/plan/replica-store.ts';
import { createInventoryStore } from '../src/scans/inventory-store.ts';

const [leaseMs, minuteMs, dayMs] = [15_000, 60_000, 86_400_000];

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('inventories', collectorIndexes);
});
afterAll(() => mongo.close());

const inventories = () => openCollections(mongo.db).inventories;

/** The leases as collectors with clocks of their own hold them. */
function replicas(...aheadMs: readonly number[]) {
  return aheadMs.map((ahead) => {
    const clock = createTestClock(Date.now() + ahead);
    return { clock, ...createInventoryStore(inventories(), clock, leaseMs, testLogger) };
  });
}
/** Of the scans; no lease depends on it. */
const deadlineMs = Date.now() + 60 * minuteMs;

type Replica = ReturnType<typeof replicas>[number];

/** Opens the lease for a new refresh and ends it. */
async function scan({ openLease, closeLease }: Replica, inventory: string): Promise<number> {
  const lease = { inventory, refreshId: newRefreshId() };
  const sequence = await openLease({ ...lease, token: 'worker', deadlineMs });
  await closeLease(lease);
  return sequence ?? Number.NaN;
}

describe('The leases of an inventory (Refresh: one scan at a time per inventory) [one-scan-at-a-time-per-inventory]', () => {
  it('number its scans in the order of their starts, whatever the clocks of the collectors', async () => {
    const [slow, right, fast] = replicas(-5 * minuteMs, 0, 5 * minuteMs) as [
      Replica,
      Replica,
      Replica,
    ];
    const sequences: number[] = [];

    for (const by of [right, slow, slow, fast, right, slow, fast]) {
      sequences.push(await scan(by, 'skewed'));
    }

    expect(sequences).toEqual([...new Set(sequences)].sort((left, right) => left - right));
  });

  it('are held until they expire, whatever the clocks of the collectors', async () => {
    const [right, fast] = replicas(0, 5 * minuteMs) as [Replica, Replica];
    const waiting = { inventory: 'held', refreshId: newRefreshId() };
    const own = { ...waiting, token: 'worker' };
    const other = { ...waiting, token: 'other' };
    const isWaiting = async () =>
      (await fast.findWaitingLeases(100)).some(({ inventory }) => inventory === 'held');
    await right.openLease({ ...own, deadlineMs });

    expect([await isWaiting(), await fast.takeLease(other)]).toEqual([false, false]);
    await inventories().updateOne({ _id: 'held' }, { $set: { 'lease.until': new Date(0) } });
    expect([await isWaiting(), await fast.takeLease(other)]).toEqual([true, true]);
    expect([await right.renewLease(own), await fast.renewLease(other)]).toEqual([false, true]);
    await right.releaseLease(own);
    expect(await isWaiting()).toBe(false);
  });

  it('number a scan anew that is opened again after a crash, and give one number to one of many', async () => {
    const [one, other] = replicas(0, -leaseMs / 3) as [Replica, Replica];
    const refreshId = newRefreshId();
    const opened = await one.openLease({
      inventory: 'crashed',
      refreshId,
      token: null,
      deadlineMs,
    });
    const opening = Array.from({ length: 8 }, (_, at) =>
      (at % 2 === 0 ? one : other).openLease({
        inventory: 'crashed',
        refreshId,
        token: `worker-${at}`,
        deadlineMs,
      }),
    );

    const again = (await Promise.all(opening)).filter((sequence) => sequence !== null);

    expect(again).toHaveLength(1);
    expect(again[0]).toBeGreaterThan(opened ?? Number.NaN);
    expect(
      await other.openLease({
        inventory: 'crashed',
        refreshId: newRefreshId(),
        token: null,
        deadlineMs,
      }),
    ).toBeNull();
  });

  it('end with an inventory that is erased, except for one that was opened meanwhile; no end writes its size afterwards', async () => {
    const [replica] = replicas(0) as [Replica];
    const [ended, begun] = [newRefreshId(), newRefreshId()];
    const leaseOf = (refreshId: string) => ({ inventory: 'erased', refreshId });
    const find = () => inventories().findOne({ _id: 'erased' });
    await replica.openLease({ ...leaseOf(ended), token: 'worker', deadlineMs });

    await replica.forgetInventory('erased', ended);
    await replica.closeLease(leaseOf(ended), { pages: 40 });

    expect(await find()).toBeNull();
    await replica.openLease({ ...leaseOf(begun), token: 'worker', deadlineMs });
    await inventories().updateOne({ _id: 'erased' }, { $set: { pages: 40 } });
    await replica.forgetInventory('erased', ended);
    expect(await replica.renewLease({ ...leaseOf(begun), token: 'worker' })).toBe(true);
    expect((await find())?.pages).toBeUndefined();
  });

  it('continue where an inventory was forgotten, or is of an earlier version', async () => {
    const [replica] = replicas(-5 * minuteMs) as [Replica];
    const before = await scan(replica, 'forgotten');
    await inventories().deleteOne({ _id: 'forgotten' });
    replica.clock.advance(180 * dayMs);
    expect(await scan(replica, 'forgotten')).toBeGreaterThan(before);

    await inventories().insertOne({ _id: 'earlier', seenAt: new Date() });
    const first = await scan(replica, 'earlier');
    expect(await scan(replica, 'earlier')).toBeGreaterThan(first);
  });
});

test('The presence of a replica is as old as the clock of the store says, whatever the clocks of the replicas', async () => {
  const { replicas: stored } = openCollections(mongo.db);
  let storeMs = await readStoreTime(mongo.db);
  const readTime = async () => storeMs;
  const { announceReplica, countReplicas } = createReplicaStore(
    stored,
    'one',
    readTime,
    testLogger,
  );
  await announceReplica(3);
  const seenMs = (await stored.findOne({ _id: 'one' }))?.seenAt.getTime() ?? 0;
  const seenAfter = seenMs - storeMs;

  storeMs = seenMs + 4_999;
  const present = await countReplicas();
  storeMs = seenMs + 5_000;

  expect(seenAfter).toBeGreaterThanOrEqual(0);
  expect(present).toEqual({ count: 1, livePagesPerMinute: 3 });
  expect(await countReplicas()).toEqual({ count: 1, livePagesPerMinute: 0 });
});
