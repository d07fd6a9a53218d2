import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { newAccountId } from '@inventory/testkit/builders';
import { createRunningClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
import { type ScannedInventories, scannedInventories } from './scanned-inventories.ts';

let harness: CollectorHarness;
let inventories: ScannedInventories;

beforeAll(async () => {
  // Long enough for two requests of one inventory to meet, if there ever were two.
  harness = await openCollectorHarness({ latency: { fixedMs: 50 } });
  inventories = scannedInventories(harness);
});
afterEach(async () => {
  await inventories.releaseAll();
  await harness.stopCollectors();
});
afterAll(() => harness.close());

const sized = (size: number, serial: number) => {
  const { platformId, appId, contextId } = sizeInventory(size, serial);
  return { platform_id: platformId, app_id: appId, context_id: contextId };
};
interface Counts {
  readonly requests: number;
  readonly in_flight_max: number;
}
const counters = async () =>
  (await harness.control('GET', '/counters')) as {
    total: Counts;
    accounts: Record<string, Counts>;
    identities: Record<string, Counts>;
  };
const smallPages = { count: 10, smallerCount: 10 };

describe('several collectors', () => {
  it('resume a scan whose worker was stopped in the middle, from its last page', async () => {
    const scope = sized(111, 1);
    const recover = await harness.failPages({ platform_id: scope.platform_id, page: 6 });
    const stuck = { pages: { ...smallPages, triesMax: 1_000_000 } };
    const first = await harness.startCollector(stuck);
    const request = await harness.request({ scope });
    await waitFor('page 6 was requested', async () => (await counters()).total.requests > 5);
    await first.stop();
    const before = (await counters()).total.requests;
    await recover();

    const second = await harness.startCollector({ pages: smallPages });
    const { record } = await harness.completed(second, request.refreshId);

    expect(record.outcome).toBe('complete_changed');
    expect(harness.store.committed.get(request.refreshId)).toHaveLength(111);
    expect((await counters()).total.requests - before).toBe(12 - 5);
    const { pages = [] } = harness.store.manifests.get(request.refreshId) ?? {};
    const [next = 0] = pages.slice(5).map(({ epoch }) => epoch);
    expect(next).toBeGreaterThan(1);
    expect(pages.map(({ epoch }) => epoch)).toEqual([...Array(5).fill(1), ...Array(7).fill(next)]);
  });

  it('share running scans with one that starts, and read each of their pages once', async () => {
    const clock = createRunningClock();
    await harness.startCollector({ pages: smallPages }, clock);
    // Each identity is busy with the last page of a small scan, which is therefore not handed over;
    // the large ones have read none.
    const small = [1, 2, 3, 4].map(() => inventories.next(11));
    for (const scope of small) await inventories.holdLaterPages(scope);
    const requests = await Promise.all(small.map((scope) => harness.request({ scope })));
    for (const scope of small) await inventories.untilRequested(scope, 2);
    const large = [1, 2, 3, 4, 5, 6].map(() => inventories.next(61));
    requests.push(...(await Promise.all(large.map((scope) => harness.request({ scope })))));
    const { refreshes, plans } = openCollections(harness.database);
    const workers = async () => {
      const running = await refreshes.find({ phase: 'collecting' }).toArray();
      return Map.groupBy(running, ({ scan }) => scan?.worker);
    };
    await waitFor(
      'all of them run',
      async () => (await workers()).values().next().value?.length === 10,
    );

    const second = await harness.startCollector({ pages: smallPages }, clock);
    await waitFor(
      'the plan is for two',
      async () => (await plans.findOne({ replicas: 2 })) !== null,
    );
    clock.advance(5_000);
    await waitFor('both have scans', async () => {
      const [left, right] = [...(await workers()).values()];
      return left && right && Math.min(left.length, right.length) >= 2;
    });
    for (const scope of small) await inventories.release(scope);
    for (const { refreshId } of requests) await harness.completed(second, refreshId);

    for (const scope of small) expect((await inventories.seen(scope)).requests).toBe(2);
    for (const scope of large) expect((await inventories.seen(scope)).requests).toBe(7);
  });

  it('keep one scan of an inventory at a time (Refresh: one scan at a time per inventory), and one request of an identity [one-scan-at-a-time-per-inventory]', async () => {
    const collectors = await Promise.all([
      harness.startCollector({ pages: smallPages }),
      harness.startCollector({ pages: smallPages }),
    ]);
    const scope = sized(31, 2);
    const requests = await Promise.all(
      Array.from({ length: 6 }, () => harness.request({ accountId: newAccountId(), scope })),
    );
    const others = await Promise.all(
      Array.from({ length: 6 }, (_, serial) => harness.request({ scope: sized(31, 3 + serial) })),
    );
    for (const request of [...requests, ...others]) {
      await harness.completed(collectors[0], request.refreshId);
    }

    const { accounts, identities } = await counters();
    expect(accounts[scope.platform_id]?.in_flight_max).toBe(1);
    const most = Object.values(identities).map((identity) => identity.in_flight_max);
    expect(new Set(most)).toEqual(new Set([1]));
  });
});
