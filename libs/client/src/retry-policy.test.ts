import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { afterMs, retryDelayMs } from './retry-policy.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 10_000, endOnFailure: true };

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const obeysRetryAfter = (delayOf: typeof retryDelayMs) =>
  fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(3_600), chance, (failures, seconds, by) => {
    const delayMs = delayOf({ failures, retryAfterSeconds: seconds, chance: by });
    const latestMs = Math.min(seconds * 1_250, seconds * 1_000 + 5_000);
    return delayMs >= seconds * 1_000 && delayMs <= latestMs;
  });

test('no client retries before Retry-After, and none much later (Retry-After, bounded jitter)', () => {
  fc.assert(obeysRetryAfter(retryDelayMs), { numRuns: propertyRuns(500) });
});

test('the property fails with jitter in both directions', () => {
  const bothWays = (ask: Parameters<typeof retryDelayMs>[0]) =>
    retryDelayMs({ ...ask, chance: ask.chance - 0.5 });

  expect(fc.check(obeysRetryAfter(bothWays), faultRuns).failed).toBe(true);
});

test('without Retry-After delays double, are never 0 and at most eight seconds [polling]', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), chance, (failures, by) => {
      const delayMs = retryDelayMs({ failures, retryAfterSeconds: null, chance: by });
      expect(delayMs).toBeGreaterThanOrEqual(Math.min(4_000, 125 * 2 ** (failures - 1)));
      expect(delayMs).toBeLessThanOrEqual(Math.min(8_000, 250 * 2 ** (failures - 1)));
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('clients with the same Retry-After retry at different times', () => {
  expect(afterMs(10, 0.9) - afterMs(10, 0.1)).toBeGreaterThanOrEqual(1_000);
});
