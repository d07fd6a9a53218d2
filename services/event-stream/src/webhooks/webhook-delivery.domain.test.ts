import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { afterAttempt, type RetryRules } from './webhook-delivery.domain.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const rules: RetryRules = {
  scheduleMs: [
    5_000,
    5 * minuteMs,
    30 * minuteMs,
    2 * hourMs,
    5 * hourMs,
    10 * hourMs,
    14 * hourMs,
  ],
  retryAfterMaxMs: 24 * hourMs,
};
const type = 'inventory.refresh.completed';
const failed = { isSuccess: false, atMs: 1_000_000, retryAfterMs: null, random: 0 };

test('a delivery has eight attempts over a day and a half, then it fails (Events: webhooks)', () => {
  const pauses: number[] = [];
  let failures = 0;
  for (;;) {
    const progress = afterAttempt({ type, failures }, failed, rules);
    if (progress.nextAttemptAtMs === null) {
      const { state, failure } = progress;
      expect([state, failure, progress.failures]).toEqual(['failed', 'attempts_exhausted', 8]);
      break;
    }
    pauses.push(progress.nextAttemptAtMs - failed.atMs);
    failures = progress.failures;
  }

  expect(pauses).toEqual(rules.scheduleMs);
});

test('a success ends a delivery after any number of failures', () => {
  const end = { ...failed, isSuccess: true };
  const progress = afterAttempt({ type, failures: 7 }, end, rules);
  expect(progress).toMatchObject({ state: 'delivered', failure: null, nextAttemptAtMs: null });
});

test('a test is attempted once', () => {
  expect(afterAttempt({ type: 'webhook.ping', failures: 0 }, failed, rules).state).toBe('failed');
});

test('a pause is at least the schedule, at most a fifth longer, and Retry-After extends it up to a day (Events: webhooks)', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 6 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.option(fc.integer({ min: 0, max: 10 * 24 * hourMs })),
      (failures, random, retryAfterMs) => {
        const end = { ...failed, random, retryAfterMs };
        const progress = afterAttempt({ type, failures }, end, rules);
        if (progress.nextAttemptAtMs === null) throw new Error('there are tries left');

        const pauseMs = progress.nextAttemptAtMs - failed.atMs;
        const scheduledMs = rules.scheduleMs[failures] ?? 0;
        const requestedMs = Math.min(retryAfterMs ?? 0, 24 * hourMs);
        expect(pauseMs).toBeGreaterThanOrEqual(Math.max(scheduledMs, requestedMs));
        expect(pauseMs).toBeLessThanOrEqual(Math.max(Math.ceil(scheduledMs * 1.2), requestedMs));
      },
    ),
    { numRuns: propertyRuns(1_000) },
  );
});
