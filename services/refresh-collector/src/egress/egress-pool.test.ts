import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import { createLogger } from '@inventory/runtime/logger';
import { freshIdentity, type IdentityState } from './egress-identity.domain.ts';
import { type EgressPool, type EgressSlot, openEgressPool } from './egress-pool.ts';
import type { IdentityStore } from './identity-store.ts';
import type { SlotRequest } from './slot-order.domain.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const limits = {
  ...{ requestsPerMinute: 3, burst: 2 },
  ...{ silenceFirstMs: 90_000, silenceMaxMs: 1_800_000 },
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

/** Each look reads from memory: it has ended before the next step. */
async function pass(byMs: number, stepMs = 50): Promise<void> {
  for (let passedMs = 0; passedMs < byMs; passedMs += stepMs) {
    jest.advanceTimersByTime(stepMs);
    await nextTurn();
  }
}

function memoryStore(): IdentityStore {
  const stored = new Map<string, IdentityState>();
  return {
    async loadIdentities(ids) {
      for (const id of ids) if (!stored.has(id)) stored.set(id, freshIdentity(id));
      return ids.flatMap((id) => stored.get(id) ?? []);
    },
    async saveIdentity(previous, next) {
      if (stored.get(next.id)?.version !== previous.version) return false;
      stored.set(next.id, next);
      return true;
    },
  };
}

/** Replicas that share these identities. */
function openPools(count: number, identityIds: readonly string[], of = limits): EgressPool[] {
  const store = memoryStore();
  return Array.from({ length: count }, () => {
    const lifetime = openLifetime(logger, closeMs);
    lifetimes.push(lifetime);
    return openEgressPool({
      ...{ identityIds, store, limits: of, lifetime, logger },
      ...{ clock: systemClock, identifiers: systemIdentifiers },
      requestMaxMs: 40_000,
      slotRules: () => ({ urgentUntilMs: null, liveShare: 0.05 }),
    });
  });
}

const page = (inventory: string, deadlineMs: number | null): Omit<SlotRequest, 'order'> => ({
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
