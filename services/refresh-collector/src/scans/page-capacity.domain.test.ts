import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  acquireIdentity,
  freshIdentity,
  type IdentityLimits,
  type IdentityState,
  nextRequestMs,
} from '../egress/egress-identity.domain.ts';
import { pageCapacity } from './page-capacity.domain.ts';

const limits: IdentityLimits = {
  requestsPerMinute: 3,
  burst: 2,
  silenceFirstMs: 90_000,
  silenceMaxMs: 1_800_000,
  unreachableFirstMs: 10_000,
  unreachableMaxMs: 300_000,
};
const nowMs = 1_000_000;
const minuteMs = 60_000;

const identity = (state: Partial<IdentityState> = {}): IdentityState => ({
  ...freshIdentity('a'),
  ...state,
});

/** Requests that one identity can send until a time, if each is answered at once. */
function requestsUntil(start: IdentityState, timeMs: number): number {
  let state = start;
  for (let count = 0; ; count += 1) {
    const atMs = Math.max(nowMs, nextRequestMs(state, limits));
    if (atMs > timeMs) return count;
    state = {
      ...acquireIdentity(state, limits, { token: 'held', nowMs: atMs, untilMs: atMs }),
      inFlight: null,
    };
  }
}

describe('page capacity', () => {
  it('promises no page that the rate of the identities does not allow (Refresh: Deadlines) [deadlines]', () => {
    const state = fc.record({
      arrivalMs: fc.integer({ min: nowMs - 120_000, max: nowMs + 40_000 }),
      silentUntilMs: fc.integer({ min: nowMs - 120_000, max: nowMs + 600_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(state, { minLength: 1, maxLength: 4 }),
        fc.nat(60 * minuteMs),
        (states, afterMs) => {
          const identities = states.map(identity);
          const capacity = pageCapacity(identities, limits, nowMs);
          const timeMs = nowMs + afterMs;
          const most = identities.reduce((sum, one) => sum + requestsUntil(one, timeMs), 0);
          return capacity.until(timeMs) <= most && most <= capacity.atMostUntil(timeMs);
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });

  it('counts a silent identity from the end of its silence', () => {
    const silent = identity({ silentUntilMs: nowMs + 10 * minuteMs });
    const capacity = pageCapacity([silent], limits, nowMs);

    expect(capacity.until(nowMs + 9 * minuteMs)).toBe(0);
    expect(capacity.until(nowMs + 20 * minuteMs)).toBe(31);
  });

  it('counts an identity half as much with each refusal in a row', () => {
    const refused = [0, 1, 2].map((refusals) => identity({ id: `${refusals}`, refusals }));
    const capacity = pageCapacity(refused, limits, nowMs);

    expect(capacity.pagesPerMinute).toBe(3 + 1.5 + 0.75);
    expect(capacity.until(nowMs + minuteMs)).toBe(4 + 2 + 1);
    expect(capacity.atMostUntil(nowMs + minuteMs)).toBe(15);
  });
});
