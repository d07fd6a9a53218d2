import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import { createLogger } from '@inventory/runtime/logger';
import { only } from '@inventory/testkit/only';
import { memoryIdentities } from '../../test/memory-identities.ts';
import type { RefreshCollectorConfig } from '../config.ts';
import { type EgressPool, type EgressSlot, openEgressPool } from './egress-pool.ts';
import type { SlotRequest } from './slot-order.domain.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const limits = {
  ...{ requestsPerMinute: 3, burst: 2 },
  ...{ cooldownFirstMs: 90_000, cooldownMaxMs: 1_800_000 },
  ...{ unreachableFirstMs: 10_000, unreachableMaxMs: 300_000 },
};
const forever = new AbortController().signal;
const closeMs = 10_000;
let lifetimes: Lifetime[] = [];

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(async () => {
  const closing = Promise.all(lifetimes.map((lifetime) => lifetime.close()));
  lifetimes = [];
  await pass(1_000);
  await closing;
  jest.useRealTimers();
});

/** Each poll reads from memory: it has ended before the next step. */
async function pass(byMs: number, stepMs = 50): Promise<void> {
  for (let passedMs = 0; passedMs < byMs; passedMs += stepMs) {
    jest.advanceTimersByTime(stepMs);
    await yieldToEventLoop();
  }
}

/** Replicas that share these identities. */
function openPools(
  count: number,
  identityIds: readonly string[],
  of = limits,
  store = memoryIdentities(),
  name = 'replica',
): EgressPool[] {
  return Array.from({ length: count }, (_, index) => {
    const lifetime = openLifetime(logger, closeMs);
    lifetimes.push(lifetime);
    const config = only<RefreshCollectorConfig>({
      identities: of,
      platform: only({ timeoutMs: 20_000 }),
    });
    return openEgressPool(
      { config, lifetime, logger, clock: systemClock, identifiers: systemIdentifiers },
      `${name}-${index}`,
      identityIds,
      store,
      () => ({ urgentUntilMs: null, liveShare: 0.05 }),
    );
  });
}

const page = (inventory: string, deadlineMs: number | null): SlotRequest => ({
  ...{ accountId: 'a', inventory, deadlineMs },
  ...{ avoid: [], unreachable: [] },
});

describe.each([1, 2])('an inventory that is read, on %i replicas', (replicas) => {
  const quick = { ...limits, requestsPerMinute: 6_000 };
  const open = () => {
    const pools = openPools(replicas, ['a', 'b', 'c'], quick);
    return { one: pools[0] as EgressPool, other: pools[replicas - 1] as EgressPool };
  };
  const served = (slot: EgressSlot | undefined) => slot?.release({ result: 'served' });

  it.each([
    ['a live page', null, 'a scan', 1],
    ['a live page', null, 'a live page', null],
    ['a scan', 1, 'a live page', null],
  ])(
    'by %s is not read by %s beside it, and is after it (upstream 6.17)',
    async (_one, first, _two, next) => {
      const { one, other } = open();
      const reading = await Promise.all([one.acquire(page('i', first), forever), pass(500)]);
      const slots: EgressSlot[] = [];
      void other.acquire(page('i', next), forever).then((slot) => slot && slots.push(slot));
      void other.acquire(page('j', next), forever).then((slot) => slot && slots.push(slot));

      await pass(5_000);
      const beside = slots.length;
      await served(reading[0]);
      await pass(500);

      expect([beside, slots.length]).toEqual([1, 2]);
      await Promise.all(slots.map(served));
    },
  );
});

test('of the free identities the one that has been unused longest serves next: no one nears its limit while others are unused (upstream 6.4)', async () => {
  const [pool] = openPools(1, ['a', 'b', 'c'], { ...limits, burst: 100 });
  const used: string[] = [];
  for (let at = 0; at < 6; at += 1) {
    const [slot] = await Promise.all([pool?.acquire(page(`i-${at}`, 1), forever), pass(500)]);
    used.push(slot?.identityId ?? 'none');
    await slot?.release({ result: 'served' });
  }

  expect(new Set(used.slice(0, 3))).toEqual(new Set(['a', 'b', 'c']));
  expect(used.slice(3)).toEqual(used.slice(0, 3));
});

describe('an identity that several replicas wait for', () => {
  /** Reads page after page until it is stopped; `log` has the name of the reader of each slot. */
  function read(pool: EgressPool, log: string[], name: string, deadlineMs: number | null) {
    const stopping = new AbortController();
    async function pages(): Promise<void> {
      for (let at = 0; !stopping.signal.aborted; at += 1) {
        const slot = await pool.acquire(page(`${name}-${at}`, deadlineMs), stopping.signal);
        if (!slot) return;
        log.push(name);
        await new Promise((resolve) => setTimeout(resolve, 950 + ((at * 37) % 101)));
        await slot.release({ result: 'served' });
      }
    }
    const ended = pages();
    return { stop: () => stopping.abort(), ended };
  }

  /** The part of the slots that each reader had. */
  function sharesOf(log: readonly string[]): Record<string, number> {
    const byReader = Map.groupBy(log, (name) => name);
    const shares = [...byReader].map(([name, slots]) => [name, slots.length / log.length]);
    return Object.fromEntries(shares);
  }
  const quick = { ...limits, requestsPerMinute: 600 };
  const rates = [
    { bound: 'its rate', of: limits, partMs: 180_000, slotsMin: 4 * 9 },
    { bound: 'the time of a page', of: quick, partMs: 20_000, slotsMin: 4 * 18 },
  ];
  /** Their polls never fall on the same moment. */
  async function openApart(count: number, of: typeof limits, store = memoryIdentities()) {
    const pools: EgressPool[] = [];
    for (let at = 0; at < count; at += 1) {
      pools.push(...openPools(1, ['a'], of, store, `replica-${at}`));
      await pass(30, 10);
    }
    return pools as [EgressPool, EgressPool, EgressPool];
  }

  it.each(rates)(
    'bound by $bound is of the earliest deadline on any of them, not of the one that had it last, and reads as much (Fairness) [fairness]',
    async ({ of, partMs, slotsMin }) => {
      const [one, two, three] = await openApart(3, of);
      const log: string[] = [];
      const late = read(one, log, 'late', 900);
      await pass(partMs, 10);
      const early = read(two, log, 'early', 100);
      const middle = read(three, log, 'middle', 500);
      const beforeEarly = log.length + 1;
      await pass(partMs, 10);
      early.stop();
      const beforeMiddle = log.length;
      await pass(partMs, 10);
      middle.stop();
      const beforeLate = log.length;
      await pass(partMs, 10);
      late.stop();
      await pass(2_000);
      await Promise.all([late, early, middle].map(({ ended }) => ended));

      const [ofEarly, ofMiddle, ofLate] = [
        log.slice(beforeEarly, beforeMiddle),
        log.slice(beforeMiddle, beforeLate),
        log.slice(beforeLate),
      ].map(sharesOf);
      // Another one may have it between two pages, when none of them waits.
      expect(ofEarly?.['early']).toBeGreaterThanOrEqual(0.8);
      expect(ofMiddle?.['middle']).toBeGreaterThanOrEqual(0.8);
      expect(ofLate?.['late']).toBe(1);
      expect(log.length).toBeGreaterThanOrEqual(slotsMin);
    },
  );

  it.each(rates)(
    'bound by $bound is of their live pages in turns, and of their scans as often as of one that is alone (decisions/0025)',
    async ({ of, partMs, slotsMin }) => {
      const [one, two] = await openApart(2, of);
      const log: string[] = [];
      const readers = [
        read(one, log, 'live of one', null),
        read(two, log, 'live of two', null),
        read(two, log, 'scan of two', 100),
      ];
      await pass(4 * partMs, 10);
      for (const { stop } of readers) stop();
      await pass(2_000);
      await Promise.all(readers.map(({ ended }) => ended));

      const shares = sharesOf(log);
      expect(shares['live of one']).toBeCloseTo(0.4, 1);
      expect(shares['live of two']).toBeCloseTo(0.4, 1);
      expect(shares['scan of two']).toBeCloseTo(0.2, 1);
      expect(log.length).toBeGreaterThanOrEqual(slotsMin);
    },
  );

  it.each(rates)(
    'bound by $bound is left to one that was lost for a second, once (architecture: everything is bounded)',
    async ({ of, partMs, slotsMin }) => {
      const store = memoryIdentities();
      const [one] = await openApart(1, of, store);
      const log: string[] = [];
      const reader = read(one, log, 'scan', 900);
      await pass(partMs, 10);
      await store.saveClaim('a', 'lost', { isLive: true, deadlineMs: 0 });
      await pass(3 * partMs, 10);
      reader.stop();
      await pass(2_000);
      await reader.ended;

      expect(log.length).toBeGreaterThanOrEqual(slotsMin - 1);
    },
  );

  it('costs a replica that is alone two writes a page, and one that waits beside another one a claim for each slot', async () => {
    const store = memoryIdentities();
    const [one, two] = await openApart(2, limits, store);
    const log: string[] = [];
    const alone = read(one, log, 'alone', 900);
    await pass(300_000);
    const ofOne = { ...store.writes };
    const pages = log.length;
    const beside = read(two, log, 'beside', 100);
    await pass(300_000);
    beside.stop();
    await pass(2_000);
    alone.stop();
    await pass(2_000);
    await Promise.all([alone, beside].map(({ ended }) => ended));

    expect(ofOne).toEqual({ saves: 2 * pages, claims: 0 });
    const slots = log.length - pages;
    expect(store.writes.saves - ofOne.saves).toBe(2 * slots);
    expect(store.writes.claims).toBeLessThanOrEqual(2 * slots);
  });
});
