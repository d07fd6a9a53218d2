import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  admitInOrder,
  rateStateAt,
  rateWindowMs,
  slackOf,
  windowStartOf,
} from './rate-window.domain.ts';

const counts = fc.integer({ min: 0, max: 1_000 });

const taking = fc.record({ requests: fc.integer({ min: 1, max: 100 }), limitPerMinute: counts });
const wishes = fc.array(taking, { minLength: 1, maxLength: 20 });

test('the count grows by what was admitted, and none is admitted past its own limit', () => {
  fc.assert(
    fc.property(counts, wishes, (before, wanted) => {
      const taken = admitInOrder(before, wanted);
      const admitted = wanted.filter((_, index) => taken[index]?.admitted);

      expect(taken.at(-1)?.used).toBe(
        before + admitted.reduce((sum, { requests }) => sum + requests, 0),
      );
      for (const [index, { limitPerMinute }] of wanted.entries()) {
        const { admitted: isAdmitted, used = 0 } = taken[index] ?? {};
        if (isAdmitted) expect(used).toBeLessThanOrEqual(limitPerMinute);
      }
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test('one increment for many takings counts like one for each of them, whatever their limits', () => {
  fc.assert(
    fc.property(counts, wishes, (before, wanted) => {
      let used = before;
      const stepwise = wanted.flatMap((one) => {
        const taken = admitInOrder(used, [one]);
        used = taken[0]?.used ?? used;
        return taken;
      });

      expect(admitInOrder(before, wanted)).toEqual(stepwise);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test('as much higher as the slack says the count may be, and no more, for the same takings to fit', () => {
  fc.assert(
    fc.property(counts, wishes, (before, wanted) => {
      const taken = admitInOrder(before, wanted);
      const fitting = wanted.filter((_, index) => taken[index]?.admitted);
      fc.pre(fitting.length > 0);
      const slack = slackOf(wanted, taken);
      const areAdmitted = (from: number) =>
        admitInOrder(from, fitting).every(({ admitted }) => admitted);

      expect([areAdmitted(before + slack), areAdmitted(before + slack + 1)]).toEqual([true, false]);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test('a taking that does not fit whole consumes nothing and leaves capacity for a smaller one', () => {
  const of = (requests: number) => ({ requests, limitPerMinute: 60 });

  expect(admitInOrder(50, [of(20), of(10), of(1)])).toEqual([
    { admitted: false, used: 50 },
    { admitted: true, used: 60 },
    { admitted: false, used: 60 },
  ]);
});

test('reset_seconds is rounded up, at least 1 and at most a minute (Reads: rate limit) [rate-limit]', () => {
  const start = Date.UTC(2026, 0, 1, 10, 30);

  expect(rateStateAt(0, 120, start).resetSeconds).toBe(60);
  expect(rateStateAt(0, 120, start + 1).resetSeconds).toBe(60);
  expect(rateStateAt(0, 120, start + 1_000).resetSeconds).toBe(59);
  expect(rateStateAt(0, 120, start + 58_001).resetSeconds).toBe(2);
  expect(rateStateAt(0, 120, start + rateWindowMs - 1).resetSeconds).toBe(1);
});

test('windows begin on the minute, whenever the first request comes', () => {
  const start = Date.UTC(2026, 0, 1, 10, 30);

  expect(windowStartOf(start)).toBe(start);
  expect(windowStartOf(start + 59_999)).toBe(start);
  expect(windowStartOf(start + 60_000)).toBe(start + rateWindowMs);
});

test('what remains is never negative, not even after the limit was lowered', () => {
  expect(rateStateAt(80, 60, 0)).toMatchObject({ limitPerMinute: 60, remaining: 0 });
  expect(rateStateAt(59, 60, 0).remaining).toBe(1);
});
