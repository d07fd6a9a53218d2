import fc from 'fast-check';
import { type OwnScan, scansToHandOver } from './replica-share.domain.ts';

const nowMs = 1_000_000;
let scans = 0;
const scan = (pagesLeft: number, of: Partial<OwnScan> = {}): OwnScan => ({
  refreshId: `scan-${++scans}`,
  pagesLeft,
  deadlineMs: 2_000_000,
  sinceMs: 0,
  ...of,
});
const pagesOf = (some: readonly OwnScan[]) => some.reduce((sum, one) => sum + one.pagesLeft, 0);
const sizes = fc.array(fc.integer({ min: 1, max: 125 }), { maxLength: 64 });

describe('the scans that a replica hands over', () => {
  it('are those with most pages left, until it has its part', () => {
    const own = [25, 25, 1, 25, 25, 25, 1, 25].map((pages) => scan(pages));

    expect(
      scansToHandOver(own, { partPages: 76, overdue: [], nowMs }).map(({ pagesLeft }) => pagesLeft),
    ).toEqual([25, 25, 25]);
  });

  it('are none where it would fall below its part, and none that it has taken just now or will end with a page', () => {
    expect(scansToHandOver([scan(125)], { partPages: 63, overdue: [], nowMs })).toEqual([]);
    expect(
      scansToHandOver([scan(20), scan(20, { sinceMs: nowMs - 100 })], {
        partPages: 0,
        overdue: [],
        nowMs,
      }),
    ).toHaveLength(1);
    expect(
      scansToHandOver([scan(1), scan(1), scan(1)], { partPages: 1, overdue: [], nowMs }),
    ).toEqual([]);
  });

  it('are also one that was taken before the clock was set back', () => {
    const own = [scan(20, { sinceMs: nowMs + 86_400_000 }), scan(20, { sinceMs: nowMs })];

    expect(scansToHandOver(own, { partPages: 20, overdue: [], nowMs })).toEqual([own[0]]);
  });

  it('leave each replica its part, and all of them are wanted by a replica below its part', () => {
    fc.assert(
      fc.property(fc.array(sizes, { minLength: 1, maxLength: 5 }), (replicas) => {
        const owned = replicas.map((pages) => pages.map((left) => scan(left)));
        const part = Math.ceil(pagesOf(owned.flat()) / owned.length);
        const kept = owned.map((own) => {
          const moved = new Set(scansToHandOver(own, { partPages: part, overdue: [], nowMs }));
          return own.filter((one) => !moved.has(one));
        });
        const moved = pagesOf(owned.flat()) - pagesOf(kept.flat());
        for (const [index, own] of owned.entries()) {
          const least = Math.min(part, pagesOf(own));
          expect(pagesOf(kept[index] ?? [])).toBeGreaterThanOrEqual(least);
        }
        if (moved > 0) expect(kept.some((own) => pagesOf(own) < part)).toBe(true);
      }),
    );
  });
});

describe('a replica without a free slot', () => {
  const own = [
    scan(5, { deadlineMs: 30 }),
    scan(5, { deadlineMs: 50 }),
    scan(5, { deadlineMs: 40 }),
  ];

  const preempted = (some: readonly OwnScan[], ...waiting: readonly number[]) => {
    const overdue = waiting.map((deadlineMs) => ({ deadlineMs }));
    return scansToHandOver(some, { partPages: 15, overdue, nowMs });
  };

  it('gives that of its latest deadline to a waiting scan with an earlier one, and no other', () => {
    expect(preempted(own, 45)).toEqual([own[1]]);
    expect(preempted(own, 10, 20, 35)).toEqual([own[1], own[2]]);
    expect(preempted(own, 50)).toEqual([]);
    expect(preempted([], 1)).toEqual([]);
  });
});
