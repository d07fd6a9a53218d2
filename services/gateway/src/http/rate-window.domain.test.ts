import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { admitInOrder, rateWindowMs, standingAt, windowStartOf } from './rate-window.domain.ts';

const counts = fc.integer({ min: 0, max: 1_000 });

const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 });

test('the count never falls, never passes the limit, and grows by what was admitted', () => {
  fc.assert(
    fc.property(counts, sizes, counts, (before, wanted, limit) => {
      const taken = admitInOrder(before, wanted, limit);
      const admitted = wanted.filter((_, index) => taken[index]?.admitted);
      const after = taken.at(-1)?.used ?? before;

      expect(after).toBe(before + admitted.reduce((sum, size) => sum + size, 0));
      expect(after).toBeLessThanOrEqual(Math.max(before, limit));
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test('one increment for many takings counts like one for each of them', () => {
  fc.assert(
    fc.property(counts, sizes, counts, (before, wanted, limit) => {
      let used = before;
      const stepwise = wanted.flatMap((size) => {
        const taken = admitInOrder(used, [size], limit);
        used = taken[0]?.used ?? used;
        return taken;
      });

      expect(admitInOrder(before, wanted, limit)).toEqual(stepwise);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test('a taking that does not fit whole consumes nothing and leaves room for a smaller one', () => {
  expect(admitInOrder(50, [20, 10, 1], 60)).toEqual([
    { admitted: false, used: 50 },
    { admitted: true, used: 60 },
    { admitted: false, used: 60 },
  ]);
});

test('reset_seconds is rounded up, at least 1 and at most a minute (Reads: rate limit) [rate-limit]', () => {
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
