import { createTestClock } from '@inventory/testkit/test-clock';
import { acceptedRefresh, requestedAtMs } from '../../test/refresh-builder.ts';
import type { StoredRefresh } from './refresh-mapping.ts';
import { awaitReservation, completedHere } from './refresh-routes.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A store whose reservation outcome is stored after so many reads of 100 ms each. */
function storeReservedAfter(unreservedReads: number) {
  const refresh = acceptedRefresh();
  let reads = 0;
  return {
    get reads() {
      return reads;
    },
    cachedRefresh: (): StoredRefresh | null => null,
    async findRefresh() {
      reads += 1;
      jest.advanceTimersByTime(100);
      const phase = reads > unreservedReads ? 'queued' : 'accepted';
      return { refresh: { ...refresh, phase }, trace: {} } as const;
    },
  };
}

test('a refresh is shown with its reservation, where the read overtook it (states: accepted is seen in races only)', async () => {
  const store = storeReservedAfter(3);

  expect((await awaitReservation(store, 'id'))?.refresh.phase).toBe('queued');
  expect(store.reads).toBe(4);
});

test('one whose reservation outcome is stored is read once', async () => {
  const store = storeReservedAfter(0);

  await awaitReservation(store, 'id');

  expect(store.reads).toBe(1);
});

test('one whose outcome this replica stores meanwhile is not read again (architecture: cost follows what is due)', async () => {
  const { findRefresh } = storeReservedAfter(Number.POSITIVE_INFINITY);
  const queued = { refresh: acceptedRefresh({ phase: 'queued' }), trace: {} };
  let reads = 0;
  const store = {
    async findRefresh() {
      reads += 1;
      return await findRefresh();
    },
    cachedRefresh: () => (reads > 0 ? queued : null),
  };

  expect(await awaitReservation(store, 'id')).toBe(queued);
  expect(reads).toBe(1);
});

test('one whose reservation stays away is shown as accepted after half a second', async () => {
  const store = storeReservedAfter(Number.POSITIVE_INFINITY);

  expect((await awaitReservation(store, 'id'))?.refresh.phase).toBe('accepted');
  expect(store.reads).toBe(6);
});

test('an unknown one is not waited for [projects-are-apart]', async () => {
  expect(
    await awaitReservation({ ...storeReservedAfter(0), findRefresh: async () => null }, 'id'),
  ).toBeNull();
});

test.each([
  ['completed a moment ago', { phase: 'completed' as const, agoMs: 59_999 }, true],
  [
    'completed longer ago: it may have expired',
    { phase: 'completed' as const, agoMs: 60_000 },
    false,
  ],
  [
    'not completed: another replica may have changed it',
    { phase: 'settling' as const, agoMs: 0 },
    false,
  ],
])('one that this replica knows as %s', (_what, { phase, agoMs }, isKnown) => {
  const completedAtMs = phase === 'completed' ? requestedAtMs : null;
  const stored = { refresh: acceptedRefresh({ phase, completedAtMs }), trace: {} };
  const clock = createTestClock(requestedAtMs + agoMs);

  const shown = completedHere({ clock, refreshes: { cachedRefresh: () => stored } }, 'id');

  expect(shown).toBe(isKnown ? stored : null);
});
