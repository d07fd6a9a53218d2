import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  afterResult,
  concurrencyOf,
  type HealthLimits,
  healthy,
} from './endpoint-health.domain.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const limits: HealthLimits = {
  disableAfterMs: 5 * dayMs,
  silenceMaxMs: 25 * hourMs,
  pauseAfterFailures: 5,
  pauseFirstMs: 10_000,
  pauseMaxMs: 300_000,
};

interface Failed {
  readonly health: typeof healthy;
  readonly disabledReason?: 'gone' | 'failing';
}

function failAt({ health }: Failed, atMs: number): Failed {
  const failure = { status: 500, error: 'status', atMs };
  return afterResult({ health, state: 'enabled' }, failure, limits) ?? { health };
}

/** Failures at these times, one after the other. */
const failing = (times: readonly number[]) => times.reduce(failAt, { health: healthy });

test('an endpoint that failed for five days without a success is disabled (Events: webhooks) [webhooks-retries]', () => {
  const every = (hours: number, count: number) =>
    Array.from({ length: count }, (_none, index) => index * hours * hourMs);

  expect(failing(every(12, 10)).disabledReason).toBeUndefined();
  expect(failing(every(12, 11)).disabledReason).toBe('failing');
});

test('a single failure after a long gap begins a new run and disables nothing (Events: webhooks)', () => {
  const { health, disabledReason } = failing([0, hourMs, 30 * dayMs]);

  expect(health).toMatchObject({ failures: 1, failingSinceMs: 30 * dayMs });
  expect(disabledReason).toBeUndefined();
});

test('after five failures an endpoint is paused, longer each time but at most five minutes', () => {
  const pauses: number[] = [];
  let health = healthy;
  for (let failure = 1; failure <= 12; failure += 1) {
    ({ health } = failAt({ health }, 1_000));
    pauses.push(health.pausedUntilMs === 0 ? 0 : health.pausedUntilMs - 1_000);
  }

  expect(pauses.slice(0, 7)).toEqual([0, 0, 0, 0, 10_000, 20_000, 40_000]);
  expect(Math.max(...pauses)).toBe(300_000);
  expect(concurrencyOf(health, 4, limits)).toBe(1);
  expect(concurrencyOf(healthy, 4, limits)).toBe(4);
});

test('a run of failures keeps its start, never grows beyond its failures, and ends with a gap (Events: webhooks)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 * hourMs }), { minLength: 1, maxLength: 40 }),
      (gaps) => {
        let now = 0;
        let runStart = 0;
        let failed: Failed = { health: healthy };
        for (const [index, gap] of gaps.entries()) {
          now += gap;
          if (index === 0 || gap > limits.silenceMaxMs) runStart = now;
          failed = failAt(failed, now);
          expect(failed.health.failingSinceMs).toBe(runStart);
          expect(failed.disabledReason === 'failing').toBe(now - runStart >= limits.disableAfterMs);
        }
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});
