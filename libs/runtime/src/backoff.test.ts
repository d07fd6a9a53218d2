import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { backoffDelayMs, jitteredDelayMs, randomBetween } from './backoff.ts';

const backoffs = fc
  .tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 100_000 }))
  .map(([firstMs, more]) => ({ firstMs, maxMs: firstMs + more }));
const failureCounts = fc.integer({ min: 0, max: 1_000_000 });
/** Below 1, as Math.random is. */
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a delay doubles from its first value up to its bound', () => {
  const backoff = { firstMs: 200, maxMs: 30_000 };
  const longest = [1, 2, 3, 8, 9, 100].map((failures) => backoffDelayMs(backoff, failures, 1));

  expect(longest).toEqual([200, 400, 800, 25_600, 30_000, 30_000]);
});

test('a delay is always in the upper half of its step, after any number of failures', () => {
  fc.assert(
    fc.property(backoffs, failureCounts, randoms, (backoff, failures, random) => {
      const longest = backoffDelayMs(backoff, failures, 1);
      const delay = backoffDelayMs(backoff, failures, random);
      expect(delay).toBeGreaterThanOrEqual(Math.round(longest / 2));
      expect(delay).toBeLessThanOrEqual(longest);
      expect(longest).toBeLessThanOrEqual(backoff.maxMs);
      expect(longest).toBeGreaterThanOrEqual(backoff.firstMs);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a further failure never shortens the delay for the same random number', () => {
  fc.assert(
    fc.property(backoffs, failureCounts, randoms, (backoff, failures, random) => {
      expect(backoffDelayMs(backoff, failures + 1, random)).toBeGreaterThanOrEqual(
        backoffDelayMs(backoff, failures, random),
      );
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('retries of concurrent failures spread out', () => {
  const delays = Array.from({ length: 200 }, () =>
    jitteredDelayMs({ firstMs: 1_000_000, maxMs: 1_000_000 }, 1),
  );

  expect(new Set(delays).size).toBeGreaterThan(190);
});

test('a random number is any integer of its range and no other', () => {
  const drawn = new Set(Array.from({ length: 500 }, () => randomBetween(3, 5)));

  expect([...drawn].toSorted()).toEqual([3, 4, 5]);
});
