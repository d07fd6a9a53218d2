import { refreshOutcomes } from '@inventory/contracts/vocabulary';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { watchOf as numberedWatch } from '../../test/support/watch-of.ts';
import {
  backedOffUntil,
  type EndedRun,
  expectedCreditsPerMonth,
  firstRunTime,
  fitsDailyLimit,
  maximumCreditsPerMonth,
  nextRunTime,
  pausedUntil,
  recordEnd,
  runTimeAfter,
  utcDayOf,
  type Watch,
} from './watch.domain.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 10, 26);
const uuid = '0199c2a4-6f10-7b21-8c3d-4e5f6a7b8009';

function watchOf(of: Partial<Watch> = {}): Watch {
  const numbered = numberedWatch(0, `prj_${uuid}`, startMs);
  return { ...numbered, watchId: `wat_${uuid}`, nextRefreshAtMs: startMs, ...of };
}

const every = fc.integer({ min: 300, max: 604_800 });
const watchIds = fc.uuid().map((id): Watch['watchId'] => `wat_${id}`);
const runs = { numRuns: propertyRuns(1_000) };
const openRun = (atMs: number) => ({ refreshId: uuid, atMs, isOpen: true, outcome: null });

describe('the times of runs (Watches) [watch-runs]', () => {
  test('each period has one, after the one before and never two within nine tenths of a period', () => {
    fc.assert(
      fc.property(watchIds, every, fc.nat(10 * dayMs), (watchId, everySeconds, laterMs) => {
        const watch = watchOf({ watchId, everySeconds });
        const periodMs = everySeconds * 1_000;
        const one = runTimeAfter(watch, startMs + laterMs);
        const next = nextRunTime(watch, one);
        expect(one).toBeGreaterThan(startMs + laterMs);
        expect(next - one).toBeGreaterThanOrEqual(0.9 * periodMs - 2);
        expect(next - one).toBeLessThanOrEqual(1.1 * periodMs + 2);
      }),
      runs,
    );
  });

  test('many that are made at once are spread over their period, their first ones over five minutes', () => {
    const many = Array.from({ length: 1_000 }, (_, at) =>
      watchOf({
        watchId: `wat_0199c2a4-6f10-7b21-8c3d-${String(at).padStart(12, '0')}`,
        everySeconds: 3_600,
      }),
    );
    for (const [timeOf, spanMs] of [
      [firstRunTime, 300_000],
      [(watch: Watch) => runTimeAfter(watch, startMs + 7_200_000), 3_600_000],
    ] as const) {
      const tenths = many.map((watch) =>
        Math.floor(((timeOf(watch) - startMs) % spanMs) / (spanMs / 10)),
      );
      const counts = [...Map.groupBy(tenths, (tenth) => tenth).values()].map((of) => of.length);
      expect(counts).toHaveLength(10);
      expect(Math.max(...counts)).toBeLessThan(160);
    }
  });

  test('private and not found back off to a day, and no further; a complete run ends that', () => {
    const denied = (denials: number) =>
      backedOffUntil(watchOf({ denials, run: openRun(startMs) })) - startMs;
    expect(denied(0)).toBe(Number.NEGATIVE_INFINITY);
    expect([1, 2, 3].map((n) => denied(n) + 30_000)).toEqual([600_000, 1_200_000, 2_400_000]);
    expect([9, 100, 10_000].map((n) => denied(n) + 30_000)).toEqual([dayMs, dayMs, dayMs]);
    fc.assert(
      fc.property(every, fc.nat(50), (everySeconds, denials) => {
        const watch = watchOf({ everySeconds, denials, run: openRun(startMs) });
        expect(backedOffUntil(watch) - startMs).toBeLessThanOrEqual(
          Math.max(dayMs, everySeconds * 1_000),
        );
      }),
    );
    const end = (outcome: EndedRun['outcome']) =>
      recordEnd(watchOf({ denials: 4, run: openRun(startMs) }), {
        outcome,
        charged: 1,
        completedAtMs: startMs,
      }).denials;
    expect(refreshOutcomes.map(end)).toEqual([0, 0, 5, 5, 4, 4, 4, 4]);
  });

  test('a paused watch is checked again within fifteen minutes; at its daily limit after midnight', () => {
    fc.assert(
      fc.property(watchIds, every, fc.nat(dayMs), (watchId, everySeconds, laterMs) => {
        const watch = watchOf({ watchId, everySeconds });
        const nowMs = startMs + laterMs;
        const soon = pausedUntil(watch, 'insufficient_funds', nowMs);
        expect(soon).toBeGreaterThan(nowMs);
        expect(soon).toBeLessThanOrEqual(nowMs + 900_000);
        const midnight = pausedUntil(watch, 'daily_limit_reached', nowMs);
        expect(utcDayOf(midnight)).toBeGreaterThan(utcDayOf(nowMs));
      }),
      runs,
    );
  });
});

describe('the daily limit (Watches) [watch-runs]', () => {
  const hold = 125;

  test('is never exceeded by what ends on a day and is held on it, in any history', () => {
    const step = fc.record({
      afterMs: fc.nat(dayMs / 4),
      charged: fc.nat(hold),
      lastsMs: fc.nat(dayMs / 3),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: hold, max: 4 * hold }),
        fc.array(step, { maxLength: 60 }),
        (maxCreditsPerDay, steps) => {
          let watch = watchOf({ maxCreditsPerDay });
          let nowMs = startMs;
          const byStart = new Map<number, number>();
          const byEnd = new Map<number, number>();
          const add = (days: Map<number, number>, day: number, credits: number) =>
            days.set(day, (days.get(day) ?? 0) + credits);
          for (const { afterMs, charged, lastsMs } of steps) {
            nowMs += afterMs;
            if (!fitsDailyLimit(watch, hold, nowMs)) continue;
            add(byStart, utcDayOf(nowMs), charged);
            nowMs += lastsMs;
            add(byEnd, utcDayOf(nowMs), charged);
            watch = recordEnd(
              { ...watch, run: openRun(nowMs) },
              { outcome: 'complete_changed', charged, completedAtMs: nowMs },
            );
          }
          for (const days of [byStart, byEnd]) {
            expect(Math.max(0, ...days.values())).toBeLessThanOrEqual(maxCreditsPerDay);
          }
        },
      ),
      runs,
    );
  });

  test('an end is counted once, and an end that never was counts nothing', () => {
    const ended = { outcome: 'complete_changed', charged: 3, completedAtMs: startMs } as const;
    const once = recordEnd(watchOf({ run: openRun(startMs) }), ended);
    expect(once.spent).toEqual({ day: utcDayOf(startMs), credits: 3 });
    expect(recordEnd(once, ended)).toEqual(once);
    expect(recordEnd(watchOf({ run: openRun(startMs) }), null)).toMatchObject({
      spent: { credits: 0 },
      run: { isOpen: false, outcome: null },
    });
  });
});

test('the expected month is never above the maximum, and neither is above the daily limits (Watches) [watches]', () => {
  fc.assert(
    fc.property(
      every,
      fc.option(fc.integer({ min: 125, max: 100_000 })),
      fc.nat(125),
      fc.array(fc.nat(125), { maxLength: 80 }),
      (everySeconds, maxCreditsPerDay, estimate, charges) => {
        let watch = watchOf({ everySeconds, maxCreditsPerDay });
        for (const charged of charges) {
          const ended = { outcome: 'complete_changed', charged, completedAtMs: startMs } as const;
          watch = recordEnd({ ...watch, run: openRun(startMs) }, ended);
        }
        const costs = { reservation: 125, estimate };
        const expected = expectedCreditsPerMonth(watch, costs);
        const maximum = maximumCreditsPerMonth(watch, costs);
        expect(expected).toBeLessThanOrEqual(maximum);
        if (maxCreditsPerDay !== null) expect(maximum).toBeLessThanOrEqual(32 * maxCreditsPerDay);
      },
    ),
    runs,
  );
});
