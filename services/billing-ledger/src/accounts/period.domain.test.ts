import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { pastPeriod, periodOf, periodStartMs, periodText } from './period.domain.ts';

const endMs = Date.UTC(2200, 0);
const times = fc.integer({ min: 0, max: endMs });
const calendarMonth = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 7);

describe('The month of an allowance and of a cap [units-by-month]', () => {
  test('is the UTC calendar month of every time until the year 2200', () => {
    fc.assert(
      fc.property(times, (timeMs) => periodText(periodOf(timeMs)) === calendarMonth(timeMs)),
      { numRuns: propertyRuns(10_000) },
    );
  });

  test('begins at the first millisecond of its first day and ends where the next one begins', () => {
    const wrong: number[] = [];
    for (let period = periodOf(0); periodStartMs(period) < endMs; period += 1) {
      const start = periodStartMs(period);
      const isRight =
        periodOf(start) === period &&
        (start === 0 || periodOf(start - 1) === period - 1) &&
        calendarMonth(start) === periodText(period) &&
        new Date(start).toISOString().endsWith('-01T00:00:00.000Z');
      if (!isRight) wrong.push(period);
    }

    expect(wrong).toEqual([]);
  });

  test('is over for what ends in a later one, and for nothing else', () => {
    const [december, january] = [Date.UTC(2026, 11, 31, 23, 59, 59, 999), Date.UTC(2027, 0)];

    expect(pastPeriod(december, january)).toBe(periodOf(december));
    expect(pastPeriod(january, january + 1)).toBeNull();
    expect(pastPeriod(january, december)).toBeNull();
  });
});
