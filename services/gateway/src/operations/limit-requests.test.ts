import type { AccountId } from '@inventory/contracts/ids';
import { newAccountId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { rateWindowMs, usedAfter } from '../domain/rate-window.ts';
import { createRequestLimiter, type RequestLimiterOptions } from './limit-requests.ts';

type Windows = RequestLimiterOptions['windows'];

/** One store for all replicas; its single step is atomic, its answers take a moment. */
function createWindows(): Windows & { calls: number; used: Map<string, number> } {
  const used = new Map<string, number>();
  const windows = {
    calls: 0,
    used,
    async increment({ accountId, windowStartMs, wanted, limitPerMinute }) {
      windows.calls += 1;
      const id = `${accountId}/${windowStartMs}`;
      const before = used.get(id) ?? 0;
      used.set(id, usedAfter(before, wanted, limitPerMinute));
      await new Promise((resolve) => setImmediate(resolve));
      return before;
    },
  } satisfies Windows & { calls: number; used: Map<string, number> };
  return windows;
}

const accountId: AccountId = newAccountId();

test('over any number of replicas exactly the limit is admitted (Reads: rate limit)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 30 })), {
        minLength: 1,
        maxLength: 8,
      }),
      async (limit, bursts) => {
        const windows = createWindows();
        const clock = createTestClock();
        const replicas = [0, 1, 2].map(() => createRequestLimiter({ windows, clock }));

        const taken = await Promise.all(
          bursts.flatMap(([replica, count]) =>
            Array.from({ length: count }, () => replicas[replica]?.take(accountId, limit)),
          ),
        );

        const admitted = taken.filter((decision) => decision?.admitted);
        expect(admitted).toHaveLength(Math.min(limit, taken.length));
        expect([...windows.used.values()]).toEqual([admitted.length]);
        // Each admitted request is told a remainder of its own.
        const remainders = new Set(admitted.map((decision) => decision?.remaining));
        expect(remainders.size).toBe(admitted.length);
      },
    ),
    { numRuns: 300 },
  );
});

test('requests that wait on a write share the next one', async () => {
  const windows = createWindows();
  const limiter = createRequestLimiter({ windows, clock: createTestClock() });

  await Promise.all(Array.from({ length: 200 }, () => limiter.take(accountId, 1_000)));

  expect(windows.calls).toBeLessThanOrEqual(2);
});

test('once a window is known to be full the store is not asked, until the next minute', async () => {
  const windows = createWindows();
  const clock = createTestClock();
  const limiter = createRequestLimiter({ windows, clock });
  await limiter.take(accountId, 1);
  const { calls } = windows;

  const refused = await limiter.take(accountId, 1);
  expect(refused).toMatchObject({ admitted: false, remaining: 0, resetSeconds: 60 });
  expect(windows.calls).toBe(calls);

  clock.advance(rateWindowMs);
  expect((await limiter.take(accountId, 1)).admitted).toBe(true);
});

test('a raised limit counts at once, also for a full window', async () => {
  const limiter = createRequestLimiter({ windows: createWindows(), clock: createTestClock() });
  await limiter.take(accountId, 1);

  expect((await limiter.take(accountId, 1)).admitted).toBe(false);
  expect(await limiter.take(accountId, 2)).toMatchObject({ admitted: true, remaining: 0 });
});

test('accounts do not share a window', async () => {
  const limiter = createRequestLimiter({ windows: createWindows(), clock: createTestClock() });
  await limiter.take(accountId, 1);

  expect((await limiter.take(newAccountId(), 1)).admitted).toBe(true);
});

test('nothing is admitted when the store does not answer', async () => {
  const windows = { increment: () => Promise.reject(new Error('store away')) };
  const limiter = createRequestLimiter({ windows, clock: createTestClock() });

  await expect(limiter.take(accountId, 120)).rejects.toThrow('store away');
});
