import { createTestClock } from '@inventory/testkit/test-clock';
import {
  acquireIdentity,
  freshIdentity,
  type IdentityState,
  nextRequestMs,
  pausedUntilMs,
} from './egress-identity.domain.ts';
import { createIdentityCache } from './identity-cache.ts';
import type { IdentityStore } from './identity-store.ts';

const limits = {
  ...{ requestsPerMinute: 3, burst: 2 },
  ...{ cooldownFirstMs: 90_000, cooldownMaxMs: 1_800_000 },
  ...{ unreachableFirstMs: 10_000, unreachableMaxMs: 300_000 },
};
const requestMaxMs = 100;

/** One stored identity, and how often it was read and written. */
function storeOf(stored: IdentityState) {
  const counts = { loads: 0, saves: 0 };
  const store: IdentityStore = {
    async loadIdentities() {
      counts.loads += 1;
      return [stored];
    },
    async saveIdentity(previous, next) {
      counts.saves += 1;
      if (previous.version !== stored.version || next === previous) return null;
      stored = next;
      return stored;
    },
    saveClaim: async () => {},
  };
  const identities = createIdentityCache(store, [stored.id], limits, requestMaxMs, {
    now: () => 0,
  });
  return {
    store,
    identities,
    counts,
    stored: () => stored,
    become: (next: IdentityState) => (stored = next),
  };
}

const held = (token: string, version: number): IdentityState => ({
  ...freshIdentity('a'),
  version,
  inFlight: { token, untilMs: 100 },
});
const release = (token: string) => (identity: IdentityState) =>
  identity.inFlight?.token === token
    ? { ...identity, version: identity.version + 1, inFlight: null }
    : identity;

test('a change of nothing writes nothing and ends', async () => {
  const { identities, counts, stored } = storeOf(held('another', 4));

  await identities.updateIdentity('a', release('mine'));

  expect(counts).toEqual({ loads: 1, saves: 0 });
  expect(stored()).toEqual(held('another', 4));
});

test('a change of nothing is decided by the stored identity, not by the cached one', async () => {
  const { identities, stored, become } = storeOf(freshIdentity('a'));
  await identities.currentIdentities();
  become(held('mine', 1));

  await identities.updateIdentity('a', release('mine'));

  expect(stored()).toEqual({ ...freshIdentity('a'), version: 2 });
});

test('a change that another replica was before is made to what that one left', async () => {
  const { identities, stored, become } = storeOf(held('mine', 1));
  await identities.currentIdentities();
  become({ ...held('mine', 2), refusals: 3 });

  await identities.updateIdentity('a', release('mine'));

  expect(stored()).toEqual({ ...freshIdentity('a'), version: 3, refusals: 3 });
});

test.each([
  [4, 16],
  [100, 100],
  [2_000, 100],
])(
  '%i identities take at most %i documents a second, however often they are needed',
  async (count, perSecondMax) => {
    const clock = createTestClock();
    let read = 0;
    const store: IdentityStore = {
      async loadIdentities(ids) {
        read += ids.length;
        return ids.map(freshIdentity);
      },
      saveIdentity: async () => null,
      saveClaim: async () => {},
    };
    const ids = Array.from({ length: count }, (_, index) => `identity-${index}`);
    const identities = createIdentityCache(store, ids, limits, requestMaxMs, clock);
    const seconds = 60;

    for (let poll = 0; poll < 10 * seconds; poll += 1) {
      await identities.currentIdentities();
      clock.advance(100);
    }

    expect(read / seconds).toBeLessThanOrEqual(perSecondMax);
  },
);

test('requests at the same time share one read, and the next one reads again after a failure', async () => {
  let loads = 0;
  const store: IdentityStore = {
    async loadIdentities(ids) {
      loads += 1;
      if (loads === 2) throw new Error('unavailable');
      return ids.map(freshIdentity);
    },
    saveIdentity: async () => null,
    saveClaim: async () => {},
  };
  const clock = createTestClock();
  const identities = createIdentityCache(store, ['a', 'b'], limits, requestMaxMs, clock);
  const together = () => Array.from({ length: 40 }, () => identities.currentIdentities());

  await Promise.all(together());
  expect(loads).toBe(1);
  clock.advance(1_000);
  const failed = await Promise.allSettled(together());
  expect(failed.every(({ status }) => status === 'rejected')).toBe(true);
  await Promise.all(together());
  expect(loads).toBe(3);
});

test('one that another replica used is read again alone', async () => {
  const { identities, counts, become } = storeOf(freshIdentity('a'));
  const [before] = await identities.currentIdentities();
  become({ ...held('another', 1) });

  const saved = before && (await identities.saveIdentity(before, held('mine', 1)));

  expect(saved).toBe(false);
  expect(await identities.currentIdentities()).toEqual([held('another', 1)]);
  expect(counts).toEqual({ loads: 2, saves: 1 });
});

test('a clock that is set back delays no read', async () => {
  const { store, counts } = storeOf(freshIdentity('a'));
  const clock = createTestClock(86_400_000);
  const identities = createIdentityCache(store, ['a'], limits, requestMaxMs, clock);
  await identities.currentIdentities();
  clock.set(0);

  await identities.currentIdentities();

  expect(counts.loads).toBe(2);
});

test('one whose clock was a day ahead is free once it was seen for the longest wait, and stays so for all', async () => {
  const dayMs = 86_400_000;
  const ahead = { ...freshIdentity('a'), version: 7, arrivalMs: dayMs, cooldownUntilMs: dayMs };
  const { store, stored } = storeOf(ahead);
  const clock = createTestClock(0);
  const identities = createIdentityCache(store, ['a'], limits, requestMaxMs, clock);
  await identities.currentIdentities();

  clock.advance(limits.cooldownMaxMs);
  const [seen] = await identities.currentIdentities();
  if (!seen) throw new Error('not read');
  const use = { token: 'mine', holder: 'a', nowMs: clock.now(), untilMs: clock.now() + 100 };
  await identities.saveIdentity(seen, acquireIdentity(seen, limits, use));

  expect(nextRequestMs(seen, limits)).toBeLessThanOrEqual(clock.now());
  expect(pausedUntilMs(stored())).toBeLessThanOrEqual(clock.now());
  expect(stored().arrivalMs).toBeLessThanOrEqual(clock.now() + 60_000);
});
