import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import { newAccountId } from '@inventory/testkit/builders';
import { createRunningClock, createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import type { PlanDocument } from '../src/plan/plan-store.ts';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
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

/** Far away, and short of the age from which a request is dropped. */
const leaseMs = 300_000;
const scheduling = { leaseMs };
const smallPages = { count: 10, smallerCount: 10 };
const identities = (...numbers: number[]) => numbers.map((number) => `egress-${number}`);
/** A collector whose requests the platform distinguishes from those of others. */
const through = (names: readonly string[]) => ({
  pages: smallPages,
  scheduling,
  platform: { egress: names.map((name) => harness.simulator.proxyUrl(name)) },
});
/** With one slot, so that another one takes over its scan. */
const occupied = <Of extends object>(of: Of) => ({
  ...of,
  scheduling: { ...scheduling, scansMax: 1 },
});
const epochsOf = (refreshId: string) =>
  harness.store.manifests.get(refreshId)?.pages.map(({ epoch }) => epoch) ?? [];
const manifestOf = (refreshId: string) => {
  const manifest = harness.store.manifests.get(refreshId);
  if (!manifest) throw new Error(`refresh ${refreshId} has no manifest`);
  return manifest;
};
const windowOf = (refreshId: string) => manifestOf(refreshId).scanWindow;
const sequenceOf = (refreshId: string) => manifestOf(refreshId).sequence ?? Number.NaN;

describe('one scan per inventory (Refresh: one scan at a time per inventory) [one-scan-at-a-time-per-inventory]', () => {
  it('holds on take-over: a second refresh waits, and a worker that was away reads and writes no further page', async () => {
    const first = await harness.startCollector(occupied(through(identities(1, 2))));
    const scope = inventories.next(31);
    await inventories.holdLaterPages(scope);
    const taken = await harness.request({ scope });
    await inventories.untilRequested(scope, 2);

    const second = await harness.startCollector(through(identities(3, 4)));
    await inventories.expireLease(scope);
    const waiting = await harness.request({ accountId: newAccountId(), scope });
    await inventories.untilRequested(scope, 3);
    await inventories.release(scope);
    await harness.completed(second, taken.refreshId);
    await harness.completed(second, waiting.refreshId);

    const [firstEpoch, ...later] = epochsOf(taken.refreshId);
    expect(firstEpoch).toBe(1);
    expect(Math.min(...later)).toBeGreaterThan(1);
    expect(new Set(later).size).toBe(1);
    expect(harness.store.committed.get(taken.refreshId)).toHaveLength(31);
    // The first scan has no page more than these. The second one may be of either replica, and
    // where the one behind in time began it, the other takes over and reads its page again.
    const takeOvers = Math.max(...epochsOf(waiting.refreshId)) - 1;
    const readAgain = (await inventories.seen(scope)).requests - (2 + 3 + 4);
    expect([0, takeOvers]).toContain(readAgain);
    const [ended, begun] = [windowOf(taken.refreshId), windowOf(waiting.refreshId)];
    expect(begun.startedAtMs >= ended.completedAtMs).toBe(true);
    expect(sequenceOf(waiting.refreshId)).toBeGreaterThan(sequenceOf(taken.refreshId));
    await first.stop();
  });

  it('holds for a worker that was stopped for longer than its lease: it ends with the page on its way', async () => {
    const clock = createRunningClock();
    const collector = await harness.startCollector({ pages: smallPages, scheduling }, clock);
    const scope = inventories.next(31);
    await inventories.holdLaterPages(scope);
    const request = await harness.request({ scope });
    await inventories.untilRequested(scope, 2);

    clock.advance(leaseMs + 1);
    await inventories.expireLease(scope);
    await inventories.release(scope);
    await harness.completed(collector, request.refreshId);

    // The lease was free, so its next worker may be of the same replica. The page on its way is
    // recorded, unless that one has begun already: then it is read again.
    const epochs = epochsOf(request.refreshId);
    const readAgain = epochs[1] === 2 ? 1 : 0;
    expect(epochs).toEqual(readAgain === 1 ? [1, 2, 2, 2] : [1, 1, 2, 2]);
    expect((await inventories.seen(scope)).requests).toBe(4 + readAgain);
  });

  it('holds on SIGTERM: the next worker begins when the last page of the old one is recorded', async () => {
    const first = await harness.startCollector({ pages: smallPages, scheduling });
    const scope = inventories.next(31);
    await inventories.holdLaterPages(scope);
    const request = await harness.request({ scope });
    await inventories.untilRequested(scope, 2);
    const second = await harness.startCollector({ pages: smallPages, scheduling });
    const stopping = first.stop();
    // The other replica plans and reads meanwhile.
    const other = await harness.request({ scope: inventories.next(1) });
    await harness.completed(second, other.refreshId);
    await inventories.release(scope);
    await stopping;

    const { record } = await harness.completed(second, request.refreshId);

    expect(record.outcome).toBe('complete_changed');
    expect(await inventories.seen(scope)).toMatchObject({ in_flight_max: 1, requests: 4 });
  });
});

describe('the check of an end that may be too early (upstream 1.3)', () => {
  it('is counted over all workers of a scan: one that takes it over checks no more often', async () => {
    const counted = openCollections(harness.database).refreshes;
    const { platformId, appId, contextId } = scenarioInventory('cursor-removed-each-time', 900);
    const scope = { platform_id: platformId, app_id: appId, context_id: contextId };
    const first = await harness.startCollector(occupied({ scheduling }));
    const alone = await harness.request({ scope });
    await harness.completed(first, alone.refreshId);
    const requestsAlone = (await inventories.seen(scope)).requests;
    const checks = (await counted.findOne({ _id: alone.refreshId }))?.scan?.endCheck?.attempts;

    await inventories.hold(scope);
    const taken = await harness.request({ scope });
    await inventories.untilRequested(scope, requestsAlone + 1);
    // As the first worker leaves it after its last check.
    const endCheck = { cursor: null, attempts: checks ?? 0 };
    await counted.updateOne({ _id: taken.refreshId }, { $set: { 'scan.endCheck': endCheck } });
    const second = await harness.startCollector({ scheduling });
    await inventories.expireLease(scope);
    await inventories.untilRequested(scope, requestsAlone + 2);
    await inventories.release(scope);
    const { record } = await harness.completed(second, taken.refreshId);

    expect(checks).toBe(5);
    expect(record.outcome).toBe('incomplete');
    // Its first page, held for the worker before, then the last one, which is not checked again.
    expect((await inventories.seen(scope)).requests).toBeLessThan(requestsAlone + 2 + 4);
  });
});

describe('a refresh that allows what another one observes', () => {
  it('is completed when that is saved, while the scan of a third one is under way (Freshness) [max-age-seconds]', async () => {
    const collector = await harness.startCollector({ scheduling });
    const scope = inventories.next(1);
    await inventories.hold(scope);
    const first = await harness.request({ scope });
    await inventories.untilRequested(scope, 1);
    const freshness = { maxAgeSeconds: 3_600, priceVersion: 1 };
    const waiting = await harness.request({ scope, freshness });
    const third = await harness.request({ scope, accountId: newAccountId() });
    for (const { refreshId } of [waiting, third]) {
      await waitFor('it is queued', async () => {
        const { record } = await harness.view(collector, refreshId);
        return record.state === 'queued';
      });
    }
    // The first page is read and cannot be staged, until the next one is held as well.
    harness.store.away = true;
    harness.store.hold();
    await inventories.release(scope);
    await waitFor('a page was read', () => harness.store.refusals > 0);
    await inventories.hold(scope);
    harness.store.away = false;
    await inventories.untilRequested(scope, 2);

    await harness.store.release();

    const { record } = await harness.completed(collector, waiting.refreshId);
    expect(record).toMatchObject({
      outcome: 'complete_changed',
      revisionId: `invrev_${first.refreshId}`,
      servedFrom: 'scan',
    });
    expect((await harness.view(collector, third.refreshId)).record.state).toBe('collecting');
  });
});

describe('a cancelled refresh', () => {
  it('frees its inventory at once and reads no further page (Refresh: Cancel) [cancel]', async () => {
    const collector = await harness.startCollector({ pages: smallPages, scheduling });
    const scope = inventories.next(31);
    await inventories.holdLaterPages(scope);
    const cancelled = await harness.request({ scope });
    await inventories.untilRequested(scope, 2);
    const next = await harness.request({ accountId: newAccountId(), scope });

    await harness.cancel(cancelled);
    // Page 1 of the next scan, while page 2 of the cancelled one is still on its way.
    await inventories.untilRequested(scope, 3);
    await inventories.release(scope);

    expect((await harness.completed(collector, cancelled.refreshId)).record.outcome).toBe(
      'cancelled',
    );
    expect((await harness.completed(collector, next.refreshId)).record.outcome).toBe(
      'complete_changed',
    );
    expect((await inventories.seen(scope)).requests).toBe(2 + 4);
    expect(harness.store.manifests.has(cancelled.refreshId)).toBe(false);
  });
});

describe('an inventory that an operator erases', () => {
  it('is forgotten: its scan ends without being saved, free, and the next one reads it as one that was never read (Operator: erase) [erase]', async () => {
    const collector = await harness.startCollector({ pages: smallPages, scheduling });
    const scope = inventories.next(31);
    const known = openCollections(harness.database).inventories;
    const first = await harness.request({ scope });
    await harness.completed(collector, first.refreshId);
    await inventories.holdLaterPages(scope);
    const read = await harness.request({ scope });
    await inventories.untilRequested(scope, 4 + 2);
    const waiting = await harness.request({ scope, accountId: newAccountId() });
    await waitFor('it is queued', async () => {
      const { record } = await harness.view(collector, waiting.refreshId);
      return record.state === 'queued';
    });
    const path = inventoryKeyText(scope);

    const erased = await fetch(`${collector.url}/inventories/${path}`, { method: 'DELETE' });

    expect(erased.status).toBe(200);
    expect((await known.findOne({ _id: path }))?.pages).toBeUndefined();
    const { record } = await harness.completed(collector, read.refreshId);
    expect(record).toMatchObject({ outcome: 'incomplete', billing: { creditsCharged: 0 } });
    expect(harness.store.manifests.has(read.refreshId)).toBe(false);
    await inventories.release(scope);
    const next = await harness.completed(collector, waiting.refreshId);
    expect(next.record.outcome).toBe('complete_changed');
    expect(harness.store.committed.get(waiting.refreshId)).toHaveLength(31);
    const ended = await openCollections(harness.database).refreshes.findOne({
      _id: read.refreshId,
    });
    expect(ended).toMatchObject({ expectedPages: null, scan: { assetsRead: 0 } });
  });
});

describe('the planning replica', () => {
  const requestMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => harness.request({ scope: inventories.next(1) })),
    );
  const plan = () => openCollections(harness.database).plans;
  const setLease = (lease: NonNullable<PlanDocument['lease']>) =>
    plan().updateOne({ _id: 'plan' }, { $set: { lease } });

  it('that stops is followed by another one at once', async () => {
    const first = await harness.startCollector({ scheduling });
    const [request] = await requestMany(1);
    await harness.completed(first, request?.refreshId ?? '');
    const second = await harness.startCollector({ scheduling });
    await first.stop();

    for (const { refreshId } of await requestMany(5)) await harness.completed(second, refreshId);
  });

  it('that dies is followed by another one when its lease ends', async () => {
    await setLease({ owner: 'dead', until: new Date(Date.now() + 3_600_000) });
    const collector = await harness.startCollector({ scheduling });
    const [request] = await requestMany(1);
    const id = request?.refreshId ?? '';
    await waitFor('it is queued', async () => {
      const { record } = await harness.view(collector, id);
      return record.state === 'queued';
    });

    await setLease({ owner: 'dead', until: new Date(0) });

    await harness.completed(collector, id);
  });

  it('that has not read that another one plans starts nothing twice', async () => {
    await plan().deleteOne({ _id: 'plan' });
    // Its clock is fixed, so it takes its lease for valid and plans as long as it runs.
    const still = createTestClock(Date.now());
    const first = await harness.startCollector(through(identities(5, 6)), still);
    const [one] = await requestMany(1);
    await harness.completed(first, one?.refreshId ?? '');
    const until = new Date(0);
    await plan().updateOne({ _id: 'plan' }, { $set: { 'lease.until': until } });
    await harness.startCollector(through(identities(7, 8)));
    await waitFor(
      'another one plans',
      async () => (await plan().findOne({ 'lease.until': { $gt: until } })) !== null,
    );

    const requests = await requestMany(20);
    for (const { refreshId } of requests) await harness.completed(first, refreshId);

    for (const { scope } of requests) expect((await inventories.seen(scope)).requests).toBe(1);
  });
});
