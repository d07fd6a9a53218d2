import fc from 'fast-check';
import { rateWindowMs, standingAt, usedAfter, windowStartOf } from './rate-window.ts';

const counts = fc.integer({ min: 0, max: 1_000 });

test('the count never passes the limit by a request that was refused', () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 1_000 }), counts, (before, wanted, limit) => {
      const after = usedAfter(before, wanted, limit);

      expect(after).toBeGreaterThanOrEqual(before);
      expect(after).toBeLessThanOrEqual(Math.max(before, limit));
      expect(after - before).toBeLessThanOrEqual(wanted);
    }),
    { numRuns: 10_000 },
  );
});

test('one increment for many requests counts like one for each of them', () => {
  fc.assert(
    fc.property(
      counts,
      fc.array(fc.integer({ min: 1, max: 50 })),
      counts,
      (before, parts, limit) => {
        const wanted = parts.reduce((sum, part) => sum + part, 0);
        const stepwise = parts.reduce((used, part) => usedAfter(used, part, limit), before);

        expect(usedAfter(before, wanted, limit)).toBe(stepwise);
      },
    ),
    { numRuns: 10_000 },
  );
});

test('reset_seconds is rounded up, at least 1 and at most a minute (Reads: rate limit)', () => {
  const start = Date.UTC(2026, 0, 1, 10, 30);

  expect(standingAt(0, 120, start).resetSeconds).toBe(60);
  expect(standingAt(0, 120, start + 1).resetSeconds).toBe(60);
  expect(standingAt(0, 120, start + 1_000).resetSeconds).toBe(59);
  expect(standingAt(0, 120, start + 58_001).resetSeconds).toBe(2);
  expect(standingAt(0, 120, start + rateWindowMs - 1).resetSeconds).toBe(1);
});

test('windows begin on the minute, whenever the first request comes', () => {
  const start = Date.UTC(2026, 0, 1, 10, 30);

  expect(windowStartOf(start)).toBe(start);
  expect(windowStartOf(start + 59_999)).toBe(start);
  expect(windowStartOf(start + 60_000)).toBe(start + rateWindowMs);
});

test('what remains is never negative, not even after the limit was lowered', () => {
  expect(standingAt(80, 60, 0)).toMatchObject({ limitPerMinute: 60, remaining: 0 });
  expect(standingAt(59, 60, 0).remaining).toBe(1);
});
