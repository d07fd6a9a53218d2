import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  acquireIdentity,
  freshIdentity,
  type IdentityLimits,
  type IdentityState,
  nextRequestMs,
} from '../egress/egress-identity.domain.ts';
import { pageCapacities } from './page-capacity.domain.ts';

const limits: IdentityLimits = {
  requestsPerMinute: 3,
  burst: 2,
  cooldownFirstMs: 90_000,
  cooldownMaxMs: 1_800_000,
  unreachableFirstMs: 10_000,
  unreachableMaxMs: 300_000,
};
const nowMs = 1_000_000;
const minuteMs = 60_000;

const identity = (state: Partial<IdentityState> = {}): IdentityState => ({
  ...freshIdentity('a'),
  ...state,
});

/** Requests that one identity can send until a time, if each has its response at once. */
function requestsUntil(start: IdentityState, timeMs: number): number {
  let state = start;
  for (let count = 0; ; count += 1) {
    const atMs = Math.max(nowMs, nextRequestMs(state, limits));
    if (atMs > timeMs) return count;
    const use = { token: 'held', holder: 'a', nowMs: atMs, untilMs: atMs };
    state = { ...acquireIdentity(state, limits, use), inFlight: null };
  }
}

describe('page capacity', () => {
  it('promises no page that the rate of the identities does not allow (Refresh: Deadlines) [deadlines]', () => {
    const state = fc.record({
      arrivalMs: fc.integer({ min: nowMs - 120_000, max: nowMs + 40_000 }),
      cooldownUntilMs: fc.integer({ min: nowMs - 120_000, max: nowMs + 600_000 }),
      refusals: fc.nat(20),
    });
    fc.assert(
      fc.property(
        fc.array(state, { minLength: 1, maxLength: 4 }),
        fc.nat(60 * minuteMs),
        (states, afterMs) => {
          const identities = states.map(identity);
          const { expected, hoped, atMostUntil } = pageCapacities(identities, limits, nowMs);
          const timeMs = nowMs + afterMs;
          const most = identities.reduce((sum, one) => sum + requestsUntil(one, timeMs), 0);
          const isOrdered = expected.until(timeMs) <= hoped.until(timeMs);
          return isOrdered && hoped.until(timeMs) <= most && most <= atMostUntil(timeMs);
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });

  it('counts a silent identity from the end of its cooldown', () => {
    const silent = identity({ cooldownUntilMs: nowMs + 10 * minuteMs });
    const { expected, servesFromMs } = pageCapacities([silent], limits, nowMs);

    expect(expected.until(nowMs + 9 * minuteMs)).toBe(0);
    expect(expected.until(nowMs + 20 * minuteMs)).toBe(31);
    expect(servesFromMs).toBe(nowMs + 10 * minuteMs);
  });

  it('counts an identity half as much with each failure in a row, and in full where it is hoped for', () => {
    const failed = [0, 1, 2].map((refusals) =>
      identity({ id: `${refusals}`, refusals, cooldownUntilMs: nowMs }),
    );
    const { expected, hoped, atMostUntil } = pageCapacities(failed, limits, nowMs);

    expect(expected.pagesPerMinute).toBe(3 + 1.5 + 0.75);
    expect(expected.until(nowMs + minuteMs)).toBe(4 + 2 + 1);
    expect(hoped.until(nowMs + minuteMs)).toBe(12);
    expect(atMostUntil(nowMs + minuteMs)).toBe(15);
  });

  it.each([
    ['refusals', 'cooldownUntilMs'],
    ['connectFailures', 'unreachableUntilMs'],
  ] as const)(
    'forgives one of the %s with each slot that is left unused after the pause, however many there were',
    (failures, pausedUntil) => {
      const failed = (count: number) => identity({ [failures]: count, [pausedUntil]: nowMs });
      const perMinute = (count: number, unusedSlots: number) =>
        pageCapacities([failed(count)], limits, nowMs + unusedSlots * 20_000).expected
          .pagesPerMinute;

      expect([0, 1, 2, 3].map((slots) => perMinute(2, slots))).toEqual([0.75, 1.5, 3, 3]);
      expect(perMinute(62, 8)).toBe(3);
    },
  );

  it('forgives nothing while an identity is used', () => {
    const used = identity({ refusals: 2, cooldownUntilMs: nowMs, arrivalMs: nowMs + minuteMs });

    expect(pageCapacities([used], limits, nowMs + minuteMs).expected.pagesPerMinute).toBe(0.75);
  });
});
