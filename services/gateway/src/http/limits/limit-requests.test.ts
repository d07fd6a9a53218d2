import type { AccountId } from '@inventory/contracts/ids';
import { newAccountId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { createRequestLimiter } from './limit-requests.ts';
import { rateWindowMs } from './rate-window.domain.ts';
import type { RateWindow, RateWindowStore } from './rate-window-store.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 7, numRuns: 1_000, endOnFailure: true };

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** One store for all replicas; each step is atomic, and takes a moment on its way there and back. */
function createWindows() {
  const used = new Map<string, number>();
  const idOf = ({ owner: account, startMs }: RateWindow) => `${account}/${startMs}`;
  const windows = { calls: 0, used };
  async function step<Value>(act: () => Value): Promise<Value> {
    windows.calls += 1;
    await nextTick();
    const value = act();
    await nextTick();
    return value;
  }
  const store: RateWindowStore = {
    readCount: (window) => step(() => used.get(idOf(window)) ?? null),
    addCount: (window, requests, limit) =>
      step(() => {
        const after = (used.get(idOf(window)) ?? 0) + requests;
        if (after > limit) return null;
        used.set(idOf(window), after);
        return after;
      }),
  };
  return { ...windows, store, callsSoFar: () => windows.calls };
}

const accountId: AccountId = newAccountId();
const deadlines = { lookUpMs: 600_000 };

const admitsExactlyTheLimit = (
  change: (store: RateWindowStore) => RateWindowStore = (store) => store,
) =>
  fc.asyncProperty(
    fc.integer({ min: 1, max: 40 }),
    fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 8 }),
    async (limit, bursts) => {
      const windows = createWindows();
      const clock = createTestClock();
      const store = change(windows.store);
      const replicas = [0, 1, 2].map(() =>
        createRequestLimiter({ windows: store, clock, deadlines }),
      );

      const taken = await Promise.all(
        bursts.flatMap(([replica, count]) =>
          Array.from({ length: count }, () => replicas[replica]?.takeRequests(accountId, limit)),
        ),
      );

      const admitted = taken.filter((decision) => decision?.admitted);
      // Each admitted request gets a remainder of its own.
      const remainders = new Set(admitted.map((decision) => decision?.remaining));
      return (
        admitted.length === Math.min(limit, taken.length) &&
        windows.used.values().next().value === admitted.length &&
        remainders.size === admitted.length
      );
    },
  );

test('over any number of replicas exactly the limit is admitted (Reads: rate limit) [rate-limit]', async () => {
  await fc.assert(admitsExactlyTheLimit(), { numRuns: propertyRuns(200) });
});

test('the property notices an increment without its condition', async () => {
  const unconditional = (store: RateWindowStore): RateWindowStore => ({
    ...store,
    addCount: (window, requests) => store.addCount(window, requests, Number.MAX_SAFE_INTEGER),
  });

  const checked = await fc.check(admitsExactlyTheLimit(unconditional), faultRuns);

  expect(checked.failed).toBe(true);
});

test('replicas that count at the same time each need one round trip, and none reads', async () => {
  const windows = createWindows();
  const replicas = Array.from({ length: 8 }, () =>
    createRequestLimiter({ windows: windows.store, clock: createTestClock(), deadlines }),
  );

  for (let round = 1; round <= 5; round += 1) {
    await Promise.all(replicas.map((replica) => replica.takeRequests(accountId, 1_000)));

    expect(windows.callsSoFar()).toBe(round * replicas.length);
  }
  expect(windows.used.values().next().value).toBe(40);
});

test('requests are returned also where the limit was lowered below the count', async () => {
  const windows = createWindows();
  const clock = createTestClock();
  const limiter = createRequestLimiter({ windows: windows.store, clock, deadlines });
  await limiter.takeRequests(accountId, 10, 8);

  await limiter.takeRequests(accountId, 2, -3);

  expect([...windows.used.values()]).toEqual([5]);
});

test('a replica that saw the window full admits again what another replica returned [rate-limit]', async () => {
  const windows = createWindows();
  const clock = createTestClock();
  const [one, other] = [0, 1].map(() =>
    createRequestLimiter({ windows: windows.store, clock, deadlines }),
  );
  const take = (requests: number) => one?.takeRequests(accountId, 40, requests, true);
  await other?.takeRequests(accountId, 40, 30, true);
  await take(10);
  expect(await take(1)).toMatchObject({ admitted: false, remaining: 0 });

  await other?.takeRequests(accountId, 40, -30, true);

  expect(await take(31)).toMatchObject({ admitted: false, remaining: 30 });
  expect(await take(30)).toMatchObject({ admitted: true, remaining: 0 });
});

test('requests that wait on a write share the next one', async () => {
  const windows = createWindows();
  const limiter = createRequestLimiter({
    windows: windows.store,
    clock: createTestClock(),
    deadlines,
  });

  await Promise.all(Array.from({ length: 200 }, () => limiter.takeRequests(accountId, 1_000)));

  expect(windows.callsSoFar()).toBeLessThanOrEqual(2);
});

test('once a window is known to be full the store is not read, until the next minute', async () => {
  const windows = createWindows();
  const clock = createTestClock();
  const limiter = createRequestLimiter({ windows: windows.store, clock, deadlines });
  await limiter.takeRequests(accountId, 1);
  const calls = windows.callsSoFar();

  const refused = await limiter.takeRequests(accountId, 1);
  expect(refused).toMatchObject({ admitted: false, remaining: 0, resetSeconds: 60 });
  expect(windows.callsSoFar()).toBe(calls);

  clock.advance(rateWindowMs);
  expect((await limiter.takeRequests(accountId, 1)).admitted).toBe(true);
});

test('a raised limit counts at once, also for a full window', async () => {
  const limiter = createRequestLimiter({
    windows: createWindows().store,
    clock: createTestClock(),
    deadlines,
  });
  await limiter.takeRequests(accountId, 1);

  expect((await limiter.takeRequests(accountId, 1)).admitted).toBe(false);
  expect(await limiter.takeRequests(accountId, 2)).toMatchObject({ admitted: true, remaining: 0 });
});

test('requests that share a write are each judged by the limit of their own Service account, on any replica [rate-limit]', async () => {
  const windows = createWindows();
  const clock = createTestClock();
  const [one, other] = [0, 1].map(() =>
    createRequestLimiter({ windows: windows.store, clock, deadlines }),
  );
  const takeBoth = (limits: readonly number[]) =>
    Promise.all(limits.map((limit) => one?.takeRequests(accountId, limit, 5)));
  await other?.takeRequests(accountId, 1_000, 8);

  const taken = [...(await takeBoth([1_000, 10])), ...(await takeBoth([10, 1_000]))];

  expect(taken.map((decision) => decision?.admitted)).toEqual([true, false, false, true]);
  expect(taken.map((decision) => decision?.remaining)).toEqual([987, 0, 0, 982]);
  expect([...windows.used.values()]).toEqual([18]);
});

test('what is taken beside as much that is returned is counted on the condition that it fits', async () => {
  const windows = createWindows();
  const clock = createTestClock();
  const [one, other] = [0, 1].map(() =>
    createRequestLimiter({ windows: windows.store, clock, deadlines }),
  );
  await one?.takeRequests(accountId, 10, 3, true);
  await other?.takeRequests(accountId, 10, 7, true);

  const taken = await Promise.all([3, -3].map((of) => one?.takeRequests(accountId, 10, of, true)));

  expect(taken.map((decision) => decision?.admitted)).toEqual([false, true]);
  expect([...windows.used.values()]).toEqual([7]);
});

test('accounts do not share a window', async () => {
  const limiter = createRequestLimiter({
    windows: createWindows().store,
    clock: createTestClock(),
    deadlines,
  });
  await limiter.takeRequests(accountId, 1);

  expect((await limiter.takeRequests(newAccountId(), 1)).admitted).toBe(true);
});

test('nothing is admitted while the store is unavailable', async () => {
  const away = () => Promise.reject(new Error('store unavailable'));
  const windows = { readCount: away, addCount: away };
  const limiter = createRequestLimiter({ windows, clock: createTestClock(), deadlines });

  await expect(limiter.takeRequests(accountId, 120)).rejects.toThrow('store unavailable');
});

test('several requests are taken all or none, over any number of replicas (Batch) [batch]', async () => {
  const windows = createWindows();
  const clock = createTestClock();
  const replicas = [0, 1].map(() =>
    createRequestLimiter({ windows: windows.store, clock, deadlines }),
  );

  const taken = await Promise.all(
    Array.from({ length: 10 }, (_, index) => replicas[index % 2]?.takeRequests(accountId, 100, 30)),
  );

  expect(taken.filter((decision) => decision?.admitted)).toHaveLength(3);
  expect(taken.find((decision) => !decision?.admitted)).toMatchObject({ remaining: 10 });
  expect(await replicas[0]?.takeRequests(accountId, 100, 10)).toMatchObject({
    admitted: true,
    remaining: 0,
  });
});

test('a limit is known to be reached once this replica counted it, until its minute is over', async () => {
  const clock = createTestClock();
  const limiter = createRequestLimiter({ windows: createWindows().store, clock, deadlines });
  expect(limiter.isKnownFull(accountId, 2)).toBe(false);
  await limiter.takeRequests(accountId, 2, 1);
  expect(limiter.isKnownFull(accountId, 2)).toBe(false);

  await limiter.takeRequests(accountId, 2, 1);

  expect(limiter.isKnownFull(accountId, 2)).toBe(true);
  clock.advance(60_000);
  expect(limiter.isKnownFull(accountId, 2)).toBe(false);
});
