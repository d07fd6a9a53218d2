import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { admit, newLimiterState } from './limiter.ts';

const limits = { windowMs: 60_000, slots: 6, blockMs: 60_000 };

/** Gaps between requests, from bursts to more than a block. */
const gaps = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: 0, max: 90_000 })),
  {
    maxLength: 120,
  },
);

describe('the limiter of one egress identity (upstream 1.5)', () => {
  it('never admits more than its slots in any window, however requests come', () => {
    fc.assert(
      fc.property(gaps, (between) => {
        const state = newLimiterState();
        const admittedAtMs: number[] = [];
        let nowMs = 0;
        for (const gap of between) {
          nowMs += gap;
          if (admit(state, limits, nowMs)) {
            admittedAtMs.push(nowMs);
          }
        }
        const crowded = admittedAtMs.filter(
          (atMs, index) =>
            atMs - (admittedAtMs[index - limits.slots] ?? -Infinity) < limits.windowMs,
        );
        expect(crowded).toEqual([]);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('stays blocked until the identity was silent for the whole block time', () => {
    fc.assert(
      fc.property(gaps, (between) => {
        const state = newLimiterState();
        let nowMs = 0;
        let blocked = false;
        for (const gap of between) {
          nowMs += gap;
          const admitted = admit(state, limits, nowMs);
          if (blocked) {
            expect(admitted).toBe(gap >= limits.blockMs);
          }
          blocked = !admitted;
        }
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });
});
