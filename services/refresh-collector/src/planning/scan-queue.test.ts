import type { RefreshId } from '@inventory/contracts/ids';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import { noPlan, sizeHoldsMs } from '../plan/published-plan.domain.ts';
import { noEndCheck } from '../saga/recorded-scan.domain.ts';
import type { PlannedRefresh } from '../saga/refresh.domain.ts';
import type { ChangedRefresh } from '../saga/refresh-document.ts';
import type { PlanLimits } from './planning.ts';
import type { QueuedRefresh, QueuePosition } from './queued-refreshes.domain.ts';
import type { PlannedRefreshes } from './scan-queue.ts';
import { createScanQueue } from './scan-queue.ts';

const hourMs = 3_600_000;
const rules = only<PlanLimits>({
  assetsPerPage: 2_000,
  queueMs: hourMs,
  collectMs: 2 * hourMs,
});
const typicalFirst = 10;

let versions = 0;

interface Fields {
  readonly phase?: PlannedRefresh['phase'];
  readonly inventory?: string;
  readonly queueDeadlineMs?: number;
  readonly collectDeadlineMs?: number | null;
  readonly expectedPages?: number | null;
  /** Of its scan. */
  readonly pages?: number;
  readonly assetsRead?: number;
  readonly reportedTotalCount?: number;
  readonly changedAtMs?: number;
}

/** Each is a later version than those before it. */
function planned(id: string, of: Fields = {}): ChangedRefresh {
  const { inventory = `inventory of ${id}`, changedAtMs = 0, phase = 'queued' } = of;
  const { pages = 0, assetsRead = 0, reportedTotalCount = null, ...fields } = of;
  const refresh = acceptedRefresh({
    refreshId: id as RefreshId,
    version: ++versions,
    scope: { platform_id: inventory, app_id: 730, context_id: 2 },
    phase,
    queueDeadlineMs: fields.queueDeadlineMs ?? 1_800_000,
    collectDeadlineMs: fields.collectDeadlineMs ?? null,
    expectedPages: fields.expectedPages ?? null,
    scan: phase === 'collecting' ? { ...started, pages, assetsRead, reportedTotalCount } : null,
  });
  return { ...refresh, _id: refresh.refreshId, changedAt: new Date(changedAtMs) };
}

const started = {
  ...{ epoch: 1, sequence: 1, startedAtMs: 0, completedAtMs: null },
  ...{ endCheck: noEndCheck, parked: false, worker: null },
};

const collecting = { phase: 'collecting', collectDeadlineMs: 3_600_000 } as const;

const changedMs = ({ changedAt }: ChangedRefresh) => changedAt?.getTime() ?? 0;

/** Refreshes, and how many documents were read of them. */
function storeOf(stored: readonly ChangedRefresh[], reserved: readonly string[] = []) {
  const refreshes = new Map(stored.map((one) => [one.refreshId, one]));
  const reads = { refreshes: 0 };
  const clock = createTestClock();
  /** The time of the store: that of its last change. */
  const timeMs = () => Math.max(0, ...[...refreshes.values()].map(changedMs));
  async function* read(isWanted: (one: ChangedRefresh) => boolean) {
    const found = [...refreshes.values()].filter(isWanted);
    reads.refreshes += found.length;
    for (const refresh of found.toSorted((left, right) => changedMs(left) - changedMs(right))) {
      yield [refresh];
    }
  }
  const queue = createScanQueue(
    only({
      readTime: async () => timeMs(),
      readOpen: () => read(({ phase }) => phase === 'queued' || phase === 'collecting'),
      readChangedSince: (sinceMs) => read((one) => changedMs(one) >= sinceMs),
    }),
    rules,
    { ...noPlan, typicalPages: typicalFirst, reserved },
    clock,
  );
  return {
    queue,
    open: queue.open,
    reads,
    clock,
    save: (refresh: ChangedRefresh) => refreshes.set(refresh.refreshId, refresh),
  };
}

/** By account, then by queue deadline. */
const queuedOf = (open: PlannedRefreshes): QueuedRefresh[] =>
  [...open.snapshot().queued.accounts()].flatMap((account) => {
    const found: QueuedRefresh[] = [];
    let position: QueuePosition | undefined = { queueDeadlineMs: 0, id: '' };
    while (position) {
      const next: QueuedRefresh | undefined = account.firstAfter(
        position,
        () => true,
        () => false,
      );
      if (next) found.push(next);
      position = next;
    }
    return found;
  });

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
const queuedIds = (open: PlannedRefreshes) => idsOf(queuedOf(open)).toSorted();

describe('the open refreshes in memory', () => {
  it('cost what changes, not what waits', async () => {
    const waiting = Array.from({ length: 1_000 }, (_, index) =>
      planned(`r${index}`, { changedAtMs: index * 1_000 }),
    );
    const { queue, reads, save } = storeOf(waiting);
    await queue.load();
    expect(reads.refreshes).toBe(1_000);

    for (let round = 1; round <= 10; round += 1) {
      save(planned('r0', { ...collecting, pages: round, changedAtMs: (1_000 + round) * 1_000 }));
      expect(await queue.update()).toBe(true);
    }

    // The newest one is within the overlap: each update reads it beside the changed one.
    expect(reads.refreshes).toBeLessThanOrEqual(1_020);
  });

  it('do not change when an update reads no change', async () => {
    const { queue } = storeOf([planned('r', { changedAtMs: 1_000 })]);
    await queue.load();

    expect(await queue.update()).toBe(false);
  });

  it('find a change that became visible a little after its time', async () => {
    const { queue, open, save } = storeOf([planned('r', { changedAtMs: 1_000 })]);
    await queue.load();
    await queue.update();
    save(planned('late', { changedAtMs: 500 }));

    expect(await queue.update()).toBe(true);
    expect(queuedIds(open)).toEqual(['late', 'r']);
  });

  it('find within a second what a primary with a slower clock wrote', async () => {
    const { queue, open, save, clock } = storeOf([planned('r', { changedAtMs: 100_000 })]);
    await queue.load();
    await queue.update();
    save(planned('skewed', { changedAtMs: 95_000 }));

    expect(await queue.update()).toBe(false);
    clock.advance(1_000);
    expect(await queue.update()).toBe(true);
    expect(queuedIds(open)).toEqual(['r', 'skewed']);
  });

  it('find by the next reload what a clock wrote that is slower than tolerated, and what it writes from then on', async () => {
    const { queue, open, save } = storeOf([planned('r', { changedAtMs: 60_000 }), planned('gone')]);
    await queue.load();
    save(planned('late', { changedAtMs: 54_999 }));
    save(planned('gone', { phase: 'completed', changedAtMs: 54_999 }));
    await queue.update();
    expect(queuedIds(open)).toEqual(['gone', 'r']);
    save(planned('r', { changedAtMs: 0 }));

    await queue.load();
    expect(queuedIds(open)).toEqual(['late', 'r']);
    save(planned('next', { changedAtMs: 55_000 }));
    await queue.update();

    expect(queuedIds(open)).toEqual(['late', 'next', 'r']);
  });

  it('ignore a read that is older than what this replica wrote meanwhile', async () => {
    const before = [
      planned('started', { changedAtMs: 1_000 }),
      planned('ended', { ...collecting, changedAtMs: 1_000 }),
    ];
    const { queue, open } = storeOf(before);
    await queue.load();

    open.put(planned('started', collecting));
    open.put(planned('ended', { phase: 'assembling' }));

    expect(await queue.update()).toBe(false);
    await queue.load();
    expect(queuedIds(open)).toEqual([]);
    expect(idsOf(open.snapshot().scans)).toEqual(['started']);
  });

  it('keep what this replica queued while they were read', async () => {
    const { queue, open } = storeOf([planned('r', { changedAtMs: 1_000 })]);

    await queue.load(async () => open.put(planned('new')));

    expect(queuedIds(open)).toEqual(['new', 'r']);
  });

  it('are left by a refresh in any later phase', async () => {
    const { queue, open, save } = storeOf([planned('r', { changedAtMs: 1_000 })]);
    await queue.load();
    save(planned('r', { phase: 'assembling', changedAtMs: 2_000 }));

    expect(await queue.update()).toBe(true);
    expect(queuedIds(open)).toEqual([]);
    expect(open.snapshot().scans).toEqual([]);
  });

  it('take over at once what this replica did, without moving the time of the last change', async () => {
    const { queue, open, save } = storeOf([planned('r', { changedAtMs: 1_000 })]);
    await queue.load();

    open.put(planned('r', collecting));
    expect(idsOf(open.snapshot().scans)).toEqual(['r']);
    open.remove('r');
    expect(open.get('r')).toBeUndefined();

    save(planned('other', { changedAtMs: 1_200 }));
    await queue.update();
    expect(open.get('other')).toBeDefined();
  });
});

describe('however far ahead the clock was that wrote their deadlines, the open refreshes', () => {
  it.each(['queued', 'collecting'] as const)(
    'are %s no longer than from when they are first seen so (Refresh: every phase has a deadline)',
    async (phase) => {
      const { queue, open, clock } = storeOf([]);
      await queue.load();
      const aheadMs = clock.now() + 24 * hourMs;
      const ahead = { queueDeadlineMs: aheadMs, collectDeadlineMs: aheadMs };
      const since = clock.now();
      open.put(planned('r', { phase: 'queued', ...ahead }));
      clock.advance(1_000);
      if (phase === 'collecting') open.put(planned('r', { phase, ...ahead }));
      clock.advance(1_000);
      open.put(planned('r', { phase, ...ahead, pages: 1 }));

      const { queueDeadlineMs, collectDeadlineMs } = open.get('r') ?? {};

      expect(phase === 'queued' ? queueDeadlineMs : collectDeadlineMs).toBe(
        phase === 'queued' ? since + rules.queueMs : since + 1_000 + rules.collectMs,
      );
    },
  );

  it('keep the deadlines of a clock that is right', async () => {
    const { queue, open, clock } = storeOf([]);
    await queue.load();
    const ends = { queueDeadlineMs: clock.now() + 1, collectDeadlineMs: clock.now() + 2 };

    open.put(planned('r', { ...collecting, ...ends }));

    expect(open.get('r')).toMatchObject(ends);
  });
});

describe('the expected pages', () => {
  it('are those of the last complete scan of the inventory', async () => {
    const { queue, open } = storeOf([planned('known', { expectedPages: 7 }), planned('unknown')]);
    await queue.load();

    expect(queuedOf(open)).toMatchObject([
      { id: 'known', expectedPages: 7 },
      { id: 'unknown', expectedPages: null },
    ]);
    expect(open.snapshot().typicalPages).toBe(typicalFirst);
  });

  it('are what another scan of the inventory reported meanwhile', async () => {
    const inventory = 'one';
    const { queue, open } = storeOf([
      planned('reading', { ...collecting, inventory }),
      planned('waiting', { inventory }),
      planned('outdated', { inventory, expectedPages: 1 }),
    ]);
    await queue.load();

    open.put(planned('reading', { ...collecting, inventory, pages: 1, reportedTotalCount: 9_000 }));

    expect(open.snapshot().queued.sum(typicalFirst)).toEqual({ refreshes: 2, pages: 10 });
    expect(['waiting', 'outdated'].map((id) => open.get(id)?.expectedPages)).toEqual([5, 5]);
  });

  it('are what the first page reported, less what was read', async () => {
    const { queue, open } = storeOf([
      planned('begun', { ...collecting, pages: 2, reportedTotalCount: 9_000 }),
      planned('more than reported', { ...collecting, pages: 9, reportedTotalCount: 9_000 }),
      planned('in smaller pages', {
        ...collecting,
        ...{ pages: 2, assetsRead: 2_000, reportedTotalCount: 9_000 },
      }),
      planned('started', collecting),
      planned('started as known', { ...collecting, expectedPages: 7 }),
    ]);
    await queue.load();

    expect(open.snapshot().scans).toMatchObject([
      { pagesLeft: 3, isSizeKnown: true },
      { pagesLeft: 1, isSizeKnown: true },
      { pagesLeft: 7, isSizeKnown: true },
      { pagesLeft: typicalFirst, isSizeKnown: false },
      { pagesLeft: 7, isSizeKnown: true },
    ]);
  });

  it('are not reserved once the first page reports more than was expected, until a plan reserves them', async () => {
    const before = [
      planned('as expected', { ...collecting, expectedPages: 5 }),
      planned('larger', { ...collecting, expectedPages: 4 }),
      planned('unknown', collecting),
      planned('unread', collecting),
    ];
    const { queue, open } = storeOf(before);
    await queue.load();
    const first = { pages: 1, reportedTotalCount: 9_000 };
    for (const { refreshId: id, expectedPages } of before.slice(0, 3)) {
      open.put(planned(id, { ...collecting, expectedPages, ...first }));
    }
    const reserved = () => open.snapshot().scans.filter(({ isReserved }) => isReserved);

    expect(idsOf(reserved())).toEqual(['as expected', 'unread']);
    open.markReserved(['larger']);
    expect(idsOf(reserved())).toEqual(['as expected', 'larger', 'unread']);
    open.put(planned('larger', { ...collecting, expectedPages: 4, ...first, pages: 2 }));
    expect(idsOf(reserved())).toEqual(['as expected', 'larger', 'unread']);
  });

  it('are reserved for a new planner where they are as expected, unread, or were reserved by the last plan', async () => {
    const first = { ...collecting, pages: 1, reportedTotalCount: 9_000 };
    const stored = [
      planned('as expected', { ...first, expectedPages: 5 }),
      planned('larger', { ...first, expectedPages: 4 }),
      planned('larger and reserved', { ...first, expectedPages: 4 }),
      planned('of unknown size', first),
      planned('unread', collecting),
    ];
    const { queue, open } = storeOf(stored, ['larger and reserved']);
    await queue.load();

    const reserved = open.snapshot().scans.filter(({ isReserved }) => isReserved);
    expect(idsOf(reserved)).toEqual(['as expected', 'larger and reserved', 'unread']);
    const named = ['as expected', 'larger', 'larger and reserved'];
    expect(open.markReserved(named)).toEqual(['larger', 'larger and reserved']);
  });

  it('without a saved observation are the mean of what scans lately turned out to have', async () => {
    const { queue, open } = storeOf([planned('a', collecting), planned('b', collecting)]);
    await queue.load();

    open.put(planned('a', { ...collecting, pages: 1, reportedTotalCount: 2_000 }));
    open.put(planned('b', { ...collecting, pages: 1, reportedTotalCount: 8_001 }));
    open.put(planned('b', { ...collecting, pages: 2, reportedTotalCount: 8_001 }));

    expect(open.snapshot().typicalPages).toBe(3);
  });

  it('follow an absurd total to the largest refresh that is paid for, no further', async () => {
    const { queue, open } = storeOf([planned('a', collecting)]);
    await queue.load();

    open.put(planned('a', { ...collecting, pages: 1, reportedTotalCount: 2 ** 50 }));

    expect(open.snapshot().typicalPages).toBe(125);
  });

  it('are remembered of an inventory for minutes: after them a refresh is queued with what it was admitted with', async () => {
    const { queue, open, clock } = storeOf([planned('a', { ...collecting, inventory: 'shrunk' })]);
    await queue.load();
    open.put(
      planned('a', { ...collecting, inventory: 'shrunk', pages: 1, reportedTotalCount: 80_000 }),
    );
    open.put(planned('soon', { inventory: 'shrunk' }));
    clock.advance(sizeHoldsMs);
    open.put(planned('later', { inventory: 'shrunk' }));

    expect(open.get('soon')?.expectedPages).toBe(40);
    expect(open.get('later')?.expectedPages).toBeNull();
  });
});
