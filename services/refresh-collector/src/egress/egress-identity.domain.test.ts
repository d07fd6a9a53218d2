import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  acquireIdentity,
  asRead,
  coolDownIdentity,
  freshIdentity,
  type IdentityLimits,
  type IdentityState,
  nextRequestMs,
  releaseIdentity,
} from './egress-identity.domain.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 2, numRuns: 10_000, endOnFailure: true };

const limits: IdentityLimits = {
  requestsPerMinute: 3,
  burst: 2,
  cooldownFirstMs: 90_000,
  cooldownMaxMs: 1_800_000,
  unreachableFirstMs: 10_000,
  unreachableMaxMs: 300_000,
};

/** Requests as fast as the limiter lets them go, with these pauses before each. */
function requestTimes(
  pauses: readonly number[],
  of: IdentityLimits,
  next: typeof nextRequestMs = nextRequestMs,
): number[] {
  let identity: IdentityState = freshIdentity('a');
  let now = 1_000_000;
  return pauses.map((pause) => {
    now = Math.max(now + pause, next(identity, of));
    identity = acquireIdentity(identity, of, {
      ...{ token: 't', holder: 'a', nowMs: now, untilMs: now + 40_000 },
    });
    identity = releaseIdentity(identity, of, { result: 'served' }, now);
    return now;
  });
}

function checkWindow(next: typeof nextRequestMs, options: fc.Parameters<unknown>): void {
  const anyLimits = fc.record({
    requestsPerMinute: fc.integer({ min: 1, max: 120 }),
    burst: fc.integer({ min: 1, max: 10 }),
  });
  fc.assert(
    fc.property(
      anyLimits,
      fc.array(fc.nat(30_000), { minLength: 1, maxLength: 40 }),
      (given, pauses) => {
        const times = requestTimes(pauses, { ...limits, ...given }, next);
        const within = times.map(
          (start) => times.filter((time) => time >= start && time < start + 60_000).length,
        );
        expect(Math.max(...within)).toBeLessThanOrEqual(given.requestsPerMinute + given.burst);
      },
    ),
    options,
  );
}

describe('an egress identity', () => {
  it('never sends more in a minute than its rate and its burst (upstream 1.5) [identity-silence]', () => {
    checkWindow(nextRequestMs, { numRuns: propertyRuns(1_000) });
  });

  it('is seen to break when the rate is not kept between requests', () => {
    expect(() => checkWindow((identity) => identity.cooldownUntilMs, faultRuns)).toThrow();
  });

  it('has one request in flight, until it is released or its time is over', () => {
    const taken = acquireIdentity(freshIdentity('a'), limits, {
      token: 't',
      holder: 'a',
      nowMs: 0,
      untilMs: 40_000,
    });
    expect(nextRequestMs(taken, limits)).toBe(40_000);
    const back = releaseIdentity(taken, limits, { result: 'served' }, 500);
    expect(nextRequestMs(back, limits)).toBeLessThanOrEqual(500);
  });

  it('is silent twice as long after each refusal in a row, up to half an hour (upstream 6.4) [identity-silence]', () => {
    let identity = freshIdentity('a');
    const cooldowns = Array.from({ length: 7 }, () => {
      identity = releaseIdentity(identity, limits, { result: 'throttled', retryAfterMs: null }, 0);
      return identity.cooldownUntilMs / 1_000;
    });
    expect(cooldowns).toEqual([90, 180, 360, 720, 1_440, 1_800, 1_800]);
  });

  it('starts over after it was served once', () => {
    const refused = coolDownIdentity(coolDownIdentity(freshIdentity('a'), limits, 0), limits, 0);
    const served = releaseIdentity(refused, limits, { result: 'served' }, 0);
    expect(coolDownIdentity(served, limits, 0).cooldownUntilMs).toBe(90_000);
  });

  it('has twice the cooldown after each request without a connection, apart from its backoff', () => {
    let identity = freshIdentity('a');
    const cooldowns = Array.from({ length: 7 }, () => {
      identity = releaseIdentity(identity, limits, { result: 'unreachable' }, 0);
      return nextRequestMs(identity, limits) / 1_000;
    });
    expect(cooldowns).toEqual([10, 20, 40, 80, 160, 300, 300]);

    const throttled = { result: 'throttled', retryAfterMs: null } as const;
    expect(releaseIdentity(identity, limits, throttled, 0)).toMatchObject({
      cooldownUntilMs: 90_000,
      connectFailures: 0,
    });
    const connected = releaseIdentity(identity, limits, { result: 'answered' }, 0);
    const again = releaseIdentity(connected, limits, { result: 'unreachable' }, 0);
    expect(nextRequestMs(again, limits)).toBe(10_000);
  });

  describe('as another clock wrote it', () => {
    const dayMs = 86_400_000;
    const nowMs = 10 * dayMs;
    const requestMaxMs = 40_000;
    const readAt = (stored: IdentityState, known: IdentityState | undefined, atMs: number) =>
      asRead(stored, known, limits, requestMaxMs, atMs);
    const { cooldownMaxMs, unreachableMaxMs } = limits;
    const throttledAt = (atMs: number) => {
      const slot = { result: 'throttled', retryAfterMs: cooldownMaxMs } as const;
      return releaseIdentity(freshIdentity('a'), limits, slot, atMs);
    };
    const acquiredAt = (atMs: number) => {
      const use = { token: 't', holder: 'a', nowMs: atMs, untilMs: atMs + requestMaxMs };
      const once = acquireIdentity(freshIdentity('a'), limits, use);
      return acquireIdentity(once, limits, use);
    };
    const unreachable = { ...freshIdentity('a'), unreachableUntilMs: nowMs + dayMs };
    const released = { ...acquiredAt(nowMs + dayMs), inFlight: null };

    it.each([
      ['silent', throttledAt(nowMs + dayMs), cooldownMaxMs],
      ['unreachable', unreachable, unreachableMaxMs],
      ['at its rate', released, 20_000],
      ['in use', acquiredAt(nowMs + dayMs), requestMaxMs],
    ])(
      'a day ahead, %s: waits from the first read for no longer than it ever may',
      (_what, stored, longestMs) => {
        let known: IdentityState | undefined;
        const nextMs: number[] = [];
        for (let atMs = nowMs; atMs <= nowMs + longestMs; atMs += longestMs / 8) {
          known = readAt(stored, known, atMs);
          nextMs.push(nextRequestMs(known, limits));
        }

        expect(new Set(nextMs)).toEqual(new Set([nowMs + longestMs]));
      },
    );

    it('is believed where it waits for no longer than it may', () => {
      for (const stored of [throttledAt(nowMs), acquiredAt(nowMs)]) {
        expect(readAt(stored, undefined, nowMs)).toEqual(stored);
      }
    });

    it.each([-dayMs, -60_000, 0, 60_000])(
      'has its request in flight until it is released, or as long as one may be by the clock of its reader: %i ms of difference [identity-silence]',
      (aheadMs) => {
        const taken = acquiredAt(nowMs + aheadMs);
        const seen = readAt(taken, freshIdentity('a'), nowMs);
        const again = readAt({ ...taken, version: taken.version + 1 }, seen, nowMs + 30_000);
        const other = { ...taken, version: 9, inFlight: { token: 'u', untilMs: 0 } };

        expect(seen.inFlight).toEqual({ token: 't', untilMs: nowMs + requestMaxMs });
        expect(again.inFlight).toEqual(seen.inFlight);
        expect(readAt(other, again, nowMs + 30_000).inFlight?.untilMs).toBe(nowMs + 70_000);
      },
    );

    it('waits no longer either where the clock of its reader was set back meanwhile', () => {
      const stored = throttledAt(nowMs + dayMs);
      const known = readAt(stored, undefined, nowMs + dayMs);

      expect(readAt(stored, known, nowMs).cooldownUntilMs).toBe(nowMs + cooldownMaxMs);
    });
  });

  it('honours a longer Retry-After', () => {
    const slot = { result: 'throttled', retryAfterMs: 600_000 } as const;
    expect(releaseIdentity(freshIdentity('a'), limits, slot, 0).cooldownUntilMs).toBe(600_000);
  });
});
