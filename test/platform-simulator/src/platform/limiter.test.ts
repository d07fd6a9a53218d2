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
  it('admits six requests in a minute and refuses the seventh', () => {
    const state = newLimiterState();

    const decisions = [0, 1, 2, 3, 4, 5, 6].map((nowMs) => admit(state, limits, nowMs));

    expect(decisions).toEqual([true, true, true, true, true, true, false]);
  });

  it('gives a slot back when the request that took it is a window old', () => {
    const state = newLimiterState();
    for (const nowMs of [0, 10_000, 20_000, 30_000, 40_000, 50_000]) {
      admit(state, limits, nowMs);
    }

    expect(admit(state, limits, 60_000)).toBe(true);
  });

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

  it('starts again with all slots after the silence, even when the window is longer', () => {
    const state = newLimiterState();
    const short = { ...limits, blockMs: 1_000 };
    for (const nowMs of [0, 0, 0, 0, 0, 0, 0]) {
      admit(state, short, nowMs);
    }

    const decisions = [1, 2, 3, 4, 5, 6, 7].map((request) => admit(state, short, 1_000 + request));

    expect(decisions).toEqual([true, true, true, true, true, true, false]);
  });

  it('admits everything without slots to count, and nothing with none', () => {
    const state = newLimiterState();

    expect(admit(state, { ...limits, slots: null }, 0)).toBe(true);
    expect(admit(state, { ...limits, slots: 0 }, 0)).toBe(false);
  });
});
