import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { systemClock } from '@inventory/runtime/clock';
import { newAccountId } from '@inventory/testkit/builders';
import { createRunningClock, createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import type { PlanDocument } from '../src/plan/plan-store.ts';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
import { identitiesOf } from './quick-config.ts';
import { type ScannedInventories, scannedInventories } from './scanned-inventories.ts';

let harness: CollectorHarness;
let inventories: ScannedInventories;

beforeAll(async () => {
  harness = await openCollectorHarness();
  inventories = scannedInventories(harness);
});
afterEach(async () => {
  await inventories.releaseAll();
  await harness.stopCollectors();
});
afterAll(() => harness.close());

const smallPages = { count: 10, smallerCount: 10 };
const stored = (_id: string) => openCollections(harness.database).refreshes.findOne({ _id });
const leaseOf = async (scope: InventoryKey) => {
  const { inventories: leases } = openCollections(harness.database);
  return (await leases.findOne({ _id: inventoryKeyText(scope) }))?.scan ?? null;
};
/** An inventory of one page that had this many when it was last read. */
async function ofPages(pages: number, seenAt = new Date()): Promise<InventoryKey> {
  const scope = inventories.next(1);
  const known = { _id: inventoryKeyText(scope), pages, seenAt };
  await openCollections(harness.database).inventories.insertOne(known);
  return scope;
}
const refusalOf = (refreshId: string) =>
  waitFor(`${refreshId} is decided`, () => harness.decisions(refreshId)[0]);
describe('the queue', () => {
  it('of one busy inventory does not hide the rest of its account (Fairness) [fairness]', async () => {
    const collector = await harness.startCollector();
    const account_id = newAccountId();
    const busy = inventories.next(1);
    await inventories.hold(busy);
    const twenty = await Promise.all(
      Array.from({ length: 20 }, () => harness.request({ accountId: account_id, scope: busy })),
    );
    await inventories.untilRequested(busy, 1);

    const other = await harness.request({ accountId: account_id, scope: inventories.next(1) });
    await harness.completed(collector, other.refreshId);

    expect((await inventories.seen(busy)).requests).toBe(1);
    await inventories.release(busy);
    for (const { refreshId } of twenty) await harness.completed(collector, refreshId);
    expect((await inventories.seen(busy)).in_flight_max).toBe(1);
  });
});

describe('on a day on which the platform gives smaller pages', () => {
  afterEach(() => harness.control('PATCH', '/limits', { count_max: 2_000 }));

  it('the pages left of a scan are counted in their size, and so is its inventory (Refresh: Deadlines)', async () => {
    await harness.control('PATCH', '/limits', { count_max: 5 });
    await harness.startCollector({ pages: { count: 10, smallerCount: 5 } });
    const scope = inventories.next(31);
    await inventories.holdLaterPages(scope);
    const request = await harness.request({ scope });
    // Page 1 twice: its first size is refused.
    await inventories.untilRequested(scope, 3);

    const scan = (await stored(request.refreshId))?.scan;
    await harness.cancel(request);
    await inventories.release(scope);

    expect(scan).toMatchObject({ pages: 1, assetsRead: 5, reportedTotalCount: 31 });
    const { inventories: known } = openCollections(harness.database);
    await waitFor('its size is known', async () => {
      return (await known.findOne({ _id: inventoryKeyText(scope) }))?.pages === 7;
    });
  });
});

describe('a scan of an application that is left alone', () => {
  it('is parked without a lease and resumed when the application answers again (upstream 6.20)', async () => {
    const clock = createRunningClock();
    const collector = await harness.startCollector({ pages: smallPages }, clock);
    const scope = inventories.next(31, 440);
    await inventories.holdLaterPages(scope);
    const parked = await harness.request({ scope });
    await inventories.untilRequested(scope, 2);
    await harness.control('POST', '/faults', {
      failure: { kind: 'eresult', code: 20 },
      app_id: 440,
    });

    await waitFor('the scan is parked', async () => {
      await harness.request({ scope: inventories.next(1, 440) });
      return (await stored(parked.refreshId))?.scan?.parked === true;
    });
    await waitFor('its lease is closed', async () => (await leaseOf(scope)) === null);
    await harness.control('DELETE', '/faults');
    await inventories.release(scope);
    clock.advance(600_000);

    const { record } = await harness.completed(collector, parked.refreshId);
    expect(record.outcome).toBe('complete_changed');
    expect(harness.store.committed.get(parked.refreshId)).toHaveLength(31);
    // A scan released by a clock that is ahead could not be taken by the collector of the next test.
    await waitFor('no refresh is open', async () => {
      const { refreshes } = openCollections(harness.database);
      return (await refreshes.countDocuments({ terminal: false })) === 0;
    });
  });
});

describe('with few pages before the deadline', () => {
  const pageEveryMs = 180_000;
  const hourMs = 3_600_000;
  /** One identity that reads twenty pages an hour, and no burst. */
  const paced = () => ({
    platform: { egress: [harness.simulator.proxyUrl('egress-1')] },
    identities: { requestsPerMinute: 60_000 / pageEveryMs, burst: 1 },
    deadlines: { queueMs: hourMs, collectMs: hourMs, settleGraceMs: hourMs },
    pages: smallPages,
    // Leases are renewed by the time of the machine, and expire by the clock of the test.
    scheduling: { leaseMs: 24 * hourMs },
  });
  /** The same pages through two identities: one reads while the other waits for an answer. */
  const shared = () => ({
    ...paced(),
    platform: { egress: identitiesOf(harness.simulator, 2) },
    identities: { requestsPerMinute: 60_000 / (2 * pageEveryMs), burst: 1 },
  });
  /** Moves a little with every poll: no deadline passes while a slow machine pauses. */
  let clock: TestClock;
  const creeping = <Value>(
    reason: string,
    check: () => Promise<Value | undefined | false>,
  ): Promise<Value> =>
    waitFor(reason, () => {
      clock.advance(100);
      return check();
    });
  const planShows = (reason: string, check: (plan: PlanDocument) => boolean) =>
    creeping(reason, async () => {
      const plan = await openCollections(harness.database).plans.findOne({ _id: 'plan' });
      return plan !== null && check(plan);
    });

  beforeEach(async () => {
    clock = createTestClock(systemClock.now());
    // Without the requests of the test before, and the sizes that were seen in it.
    await harness.database.collection('identities').deleteMany({});
    await harness.database.collection('plans').deleteMany({});
  });

  it('a refresh that could not be completed in time is not admitted: its client comes back when there is room, no credits held (Refresh: Admission) [admission-latch]', async () => {
    const collector = await harness.startCollector(paced(), clock);
    const account_id = newAccountId();
    // Whichever is read first waits for its page, and the other one for the identity.
    const scopes = [await ofPages(15), await ofPages(15)] as const;
    for (const scope of scopes) await inventories.hold(scope);
    const first = await harness.request({ accountId: account_id, scope: scopes[0] }, 1);
    const next = await harness.request({ scope: scopes[1] }, 1);
    await planShows('both fill the plan', ({ pagesWaiting, pagesFree, typicalPages }) => {
      return pagesWaiting === 30 && pagesFree < typicalPages;
    });

    const other = await harness.request({ scope: inventories.next(1) }, 1);
    const refused = await refusalOf(other.refreshId);
    const second = await harness.request({ accountId: account_id, scope: inventories.next(1) }, 1);
    const limited = await refusalOf(second.refreshId);

    expect(refused).toMatchObject({
      decision: 'refused',
      refusal: {
        code: 'product_unavailable',
        detail: { admission_state: 'closed', reason: 'capacity' },
        retry_after_seconds: expect.any(Number),
      },
    });
    expect(limited).toMatchObject({
      decision: 'refused',
      refusal: {
        code: 'outstanding_limit_exceeded',
        detail: { limit: 'account_share', outstanding_max: expect.any(Number) },
        retry_after_seconds: expect.any(Number),
      },
    });
    for (const { refreshId } of [other, second]) {
      expect(harness.ledger.outcomes.has(`reserve:${refreshId}`)).toBe(false);
    }
    for (const scope of scopes) await inventories.release(scope);
    await waitFor('one of them is completed', async () => {
      const both = await Promise.all([stored(first.refreshId), stored(next.refreshId)]);
      return both.some((refresh) => refresh?.terminal);
    });
    clock.advance(pageEveryMs);
    for (const { refreshId } of [first, next]) await harness.completed(collector, refreshId);
    clock.advance(pageEveryMs);
    await planShows('the plan is empty', ({ pagesWaiting }) => pagesWaiting === 0);
    const again = await harness.request({ scope: inventories.next(1) }, 1);
    expect(await refusalOf(again.refreshId)).toMatchObject({ decision: 'accepted' });
    await harness.completed(collector, again.refreshId);
  });

  it('a refresh of an inventory known to have more pages than a scan reads in time is not admitted, no credits held (Refresh: Admission)', async () => {
    const collector = await harness.startCollector(paced(), clock);
    await planShows('a scan reads 19 pages', ({ scanPagesMax }) => scanPagesMax === 19);

    const larger = await harness.request({ scope: await ofPages(20) }, 1);
    const refused = await refusalOf(larger.refreshId);
    const fits = await harness.request({ scope: await ofPages(19) }, 1);
    const decided = await refusalOf(fits.refreshId);

    expect(refused).toMatchObject({
      refusal: {
        code: 'product_unavailable',
        detail: { reason: 'inventory_too_large', pages_max: 19 },
      },
    });
    expect(harness.ledger.outcomes.has(`reserve:${larger.refreshId}`)).toBe(false);
    expect(decided).toMatchObject({ decision: 'accepted' });
    await creeping('it is read', async () => (await stored(fits.refreshId))?.terminal);
    await harness.completed(collector, fits.refreshId);
  });

  it.each([
    ['ten minutes ago', -600_000],
    ['by a clock that was a day ahead', 86_400_000],
  ])(
    'a size beyond that which was learned %s refuses nothing: one page is read, and the inventory may have shrunk (Refresh: Admission) [admission-latch]',
    async (_when, atMs) => {
      const collector = await harness.startCollector(paced(), clock);
      await planShows('a scan reads 19 pages', ({ scanPagesMax }) => scanPagesMax === 19);

      const scope = await ofPages(1_000_000, new Date(clock.now() + atMs));
      const { refreshId } = await harness.request({ scope }, 1);
      const { record } = await harness.completed(collector, refreshId);

      expect(record.outcome).toBe('complete_changed');
      const { inventories: known } = openCollections(harness.database);
      await waitFor('its size is known', async () => {
        return (await known.findOne({ _id: inventoryKeyText(scope) }))?.pages === 1;
      });
    },
  );

  it('a scan whose first page reports more than fits is parked without a lease, and resumed and completed once its pages fit (Refresh: Deadlines) [only-complete-scans]', async () => {
    const collector = await harness.startCollector(shared(), clock);
    const first = await harness.request({ scope: inventories.next(1) }, 1);
    await harness.completed(collector, first.refreshId);
    clock.advance(2 * pageEveryMs);
    // Half of the pages that fit are reserved for it while its only page is held.
    const reserving = await ofPages(10);
    await inventories.hold(reserving);
    const other = await harness.request({ scope: reserving }, 1);
    await inventories.untilRequested(reserving, 1);
    const scope = inventories.next(120);
    const { refreshId } = await harness.request({ scope }, 1);

    await creeping('it is parked', async () => (await stored(refreshId))?.scan?.parked);
    await creeping('its lease is closed', async () => (await leaseOf(scope)) === null);
    const readWhenParked = (await inventories.seen(scope)).requests;
    await inventories.release(reserving);
    await harness.completed(collector, other.refreshId);
    await creeping('it is resumed', async () => (await stored(refreshId))?.scan?.parked === false);
    for (let pages = 3; pages <= 11; pages += 2) {
      clock.advance(2 * pageEveryMs);
      await inventories.untilRequested(scope, pages);
    }
    clock.advance(2 * pageEveryMs);
    const { record } = await harness.completed(collector, refreshId);

    expect(readWhenParked).toBe(1);
    expect(record.outcome).toBe('complete_changed');
    expect(harness.store.committed.get(refreshId)).toHaveLength(120);
    expect((await inventories.seen(scope)).requests).toBe(12);
  });

  it('a refresh whose first page shows more than can be read ends early as incomplete (Refresh: Deadlines) [only-complete-scans]', async () => {
    const collector = await harness.startCollector(paced(), clock);
    const scope = inventories.next(300);

    const { refreshId } = await harness.request({ scope }, 1);
    await creeping('it is completed', async () => (await stored(refreshId))?.terminal);
    const { record } = await harness.completed(collector, refreshId);

    expect(record).toMatchObject({ outcome: 'incomplete', billing: { creditsReleased: 125 } });
    expect((await inventories.seen(scope)).requests).toBe(1);
    const { inventories: known } = openCollections(harness.database);
    // The next refresh of it is planned with the size that this one saw.
    await waitFor('its size is known', async () => {
      return (await known.findOne({ _id: inventoryKeyText(scope) }))?.pages === 30;
    });
  });
});
