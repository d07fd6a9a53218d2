import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { retryAfterSeconds } from './retry-after.domain.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 10_000, endOnFailure: true };

const slow = { pagesPerSecond: 0.05, burstPages: 2 };

/** The seconds at which a client reads that obeys Retry-After exactly. */
function readTimes(
  durationSeconds: number,
  pages: number,
  estimate: typeof retryAfterSeconds,
): number[] {
  const times = [1];
  for (let now = 1; now < durationSeconds; times.push(now)) {
    const done = Math.floor((pages * now) / durationSeconds);
    const scan = {
      epoch: 1,
      startedAtMs: 0,
      completedAtMs: null,
      pages: done,
      reportedTotalCount: 0,
      parked: false,
      worker: null,
    };
    now +=
      estimate({ phase: 'collecting', requestedAtMs: 0, scan }, pages - done, slow, now * 1_000) ??
      0;
  }
  return times;
}

/** A scan takes at least what the rate limits need for its pages, and any time more. */
const scans = fc
  .record({ pages: fc.integer({ min: 1, max: 125 }), extraSeconds: fc.nat(3_000) })
  .map(({ pages, extraSeconds }) => ({
    pages,
    durationSeconds:
      Math.max(0, (pages - slow.burstPages) / slow.pagesPerSecond) + extraSeconds + 0.5,
  }));

function checkLateness(estimate: typeof retryAfterSeconds, options: fc.Parameters<unknown>): void {
  fc.assert(
    fc.property(scans, ({ pages, durationSeconds }) => {
      const learned = readTimes(durationSeconds, pages, estimate).at(-1) ?? 0;
      expect(learned - durationSeconds).toBeLessThanOrEqual(Math.max(2, durationSeconds / 4));
    }),
    options,
  );
}

describe('retryAfterSeconds', () => {
  it('lets an obedient client see the completion within the larger of 2 s and a quarter of the duration (Refresh: Retry-After)', () => {
    checkLateness(retryAfterSeconds, { numRuns: propertyRuns(2_000) });
  });

  it('is seen to break when it only follows a fixed pace', () => {
    expect(() =>
      checkLateness((refresh) => (refresh.phase === 'completed' ? null : 10), faultRuns),
    ).toThrow();
  });

  it('needs at most six reads for one page that takes up to eight seconds', () => {
    for (let seconds = 0.5; seconds <= 8; seconds += 0.5) {
      expect(readTimes(seconds, 1, retryAfterSeconds).length).toBeLessThanOrEqual(6);
    }
  });

  it.each(['completed', 'refused'] as const)('is absent once %s', (phase) => {
    expect(retryAfterSeconds({ phase, requestedAtMs: 0, scan: null }, 1, slow, 1_000)).toBeNull();
  });

  it('stays between 1 and 60 while pending', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.nat(250), (elapsedMs, pages) => {
        const pending = { phase: 'queued', requestedAtMs: 0, scan: null } as const;
        const seconds = retryAfterSeconds(pending, pages, slow, elapsedMs);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(60);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
