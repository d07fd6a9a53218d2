import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import {
  type InventorySize,
  isRecentSize,
  type PublishedPlan,
} from '../plan/published-plan.domain.ts';
import { expectedPagesLeft, reportedPages } from '../saga/recorded-scan.domain.ts';
import type { PlannedRefresh, ScanStore } from '../scans/scan-store.ts';
import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import { createQueuedRefreshes } from './queued-refreshes.domain.ts';
import { createTypicalPages } from './typical-pages.domain.ts';

/** A write may become visible later than its `changedAt`. */
const visibleAfterMs = 500;
/** The clock of a new primary may be this much slower than that of the last one. */
const clockSkewMaxMs = 5_000;
const readSkewedEveryMs = 1_000;

export interface OpenRules {
  readonly assetsPerPage: number;
  /** Longest times in the queue and of a scan. */
  readonly queueMs: number;
  readonly collectMs: number;
}

/**
 * Every queued and collecting refresh, in the memory of the planning replica. Read completely once,
 * then by changes: the cost follows the changes, not the length of the queue.
 */
export function createScanQueue(
  scans: ScanStore,
  rules: OpenRules,
  lastPlan: Pick<PublishedPlan, 'typicalPages' | 'reserved'>,
  clock: Clock,
) {
  const open = createPlannedRefreshes(rules, lastPlan, clock);
  /** Earlier changes are read, by the clock of the database; null before they are. */
  let changedMs: number | null = null;
  let readSkewedMs = Number.NEGATIVE_INFINITY;

  return {
    /** With the changes that this replica makes itself. */
    open,
    /** Reads all of them, with a call between two batches. */
    async load(betweenBatches: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
      const timeMs = await scans.readTime();
      const gone = new Set(open.ids());
      for await (const found of scans.readOpen()) {
        for (const refresh of found) {
          gone.delete(refresh.id);
          open.put(refresh);
        }
        await betweenBatches();
      }
      for (const id of gone) open.remove(id);
      changedMs = timeMs;
    },
    /**
     * Reads the changes since the last read, after a load, and once a second those that a slower clock
     * may have written; true when there were any. One that is known by its version is no change.
     */
    async update(): Promise<boolean> {
      invariant(changedMs !== null, 'changes are read after a load');
      const isSkewed = Math.abs(clock.now() - readSkewedMs) >= readSkewedEveryMs;
      const overlapMs = isSkewed ? clockSkewMaxMs : visibleAfterMs;
      let changed = false;
      for await (const found of scans.readChangedSince(changedMs - overlapMs)) {
        for (const refresh of found) {
          changed = open.put(refresh) || changed;
          changedMs = Math.max(changedMs, refresh.changedAtMs);
        }
      }
      if (isSkewed) readSkewedMs = clock.now();
      return changed;
    },
  };
}

export type PlannedRefreshes = ReturnType<typeof createPlannedRefreshes>;

interface Entry extends PlannedRefresh {
  readonly isReserved: boolean;
  /** When it was first seen here in its phase. */
  readonly sinceMs: number;
}

const inventoriesMax = 10_000;
const endedMax = 10_000;

/** Queued and collecting refreshes in memory. */
export function createPlannedRefreshes(
  rules: OpenRules,
  lastPlan: Pick<PublishedPlan, 'typicalPages' | 'reserved'>,
  clock: Clock,
) {
  const { assetsPerPage } = rules;
  const entries = new Map<string, Entry>();
  const queued = createQueuedRefreshes();
  const started = new Map<string, Entry>();
  /** They never open again; a read may be older than their end. */
  const ended = createRecentlyUsed<string, true>(endedMax);
  const sizes = createTypicalPages(lastPlan.typicalPages);
  const reservedBefore = new Set(lastPlan.reserved);
  /** Pages of inventories by their latest scans, which may be later than the request of a refresh. */
  const reported = createRecentlyUsed<string, InventorySize>(inventoriesMax);

  function set(entry: Entry): void {
    entries.set(entry.id, entry);
    if (entry.phase === 'queued') queued.put(entry);
    else {
      queued.remove(entry.id);
      started.set(entry.id, entry);
    }
  }

  function remove(id: string): boolean {
    queued.remove(id);
    started.delete(id);
    return entries.delete(id);
  }

  function recordSize(inventory: string, pages: number): void {
    sizes.add(pages);
    reported.set(inventory, { pages, scannedMs: clock.now() });
    for (const { id } of queued.ofInventory(inventory)) {
      const entry = entries.get(id);
      if (entry) set({ ...entry, expectedPages: pages });
    }
  }

  return {
    /** Applies a change unless a later one is known; true when a plan depends on it. */
    put(refresh: PlannedRefresh): boolean {
      const { id, phase, version, inventory } = refresh;
      const before = entries.get(id);
      if (ended.has(id) || (before && version <= before.version)) return false;
      const pages = reportedPages(refresh, assetsPerPage);
      const isFirstReport = pages !== null && before?.reportedTotalCount === null;
      if (isFirstReport) recordSize(inventory, pages);
      if (phase !== 'queued' && phase !== 'collecting') {
        if (phase !== 'accepted') ended.set(id, true);
        return remove(id);
      }
      const isExpected = !isLargerThanExpected(refresh, assetsPerPage);
      const isReserved = before ? before.isReserved : isExpected || reservedBefore.has(id);
      const known = phase === 'queued' ? reported.get(inventory) : undefined;
      const isRecent = known && isRecentSize(known, clock.now());
      const sinceMs = before?.phase === phase ? before.sinceMs : clock.now();
      set({
        ...refresh,
        ...deadlinesOf(refresh, sinceMs, rules),
        sinceMs,
        expectedPages: isRecent ? known.pages : refresh.expectedPages,
        isReserved: isFirstReport ? isExpected : isReserved,
      });
      return (
        before?.phase !== phase ||
        before.pages !== refresh.pages ||
        before.parked !== refresh.parked
      );
    },
    remove: (id: string): void => void remove(id),
    get: (id: string): PlannedRefresh | undefined => entries.get(id),
    ids: (): Iterable<string> => entries.keys(),
    /** Pages that are expected to be read of it; 0 where it is not open. */
    pagesLeft(id: string): number {
      const entry = entries.get(id);
      return entry ? expectedPagesLeft(entry, assetsPerPage, sizes.pages) : 0;
    },
    /** A plan reserved all pages that these scans have left; returns those larger than expected. */
    markReserved(ids: readonly string[]): string[] {
      return ids.filter((id) => {
        const entry = entries.get(id);
        if (entry && !entry.isReserved) set({ ...entry, isReserved: true });
        return entry !== undefined && isLargerThanExpected(entry, assetsPerPage);
      });
    },
    snapshot: (): Pick<QueueSnapshot, 'queued' | 'scans'> => ({
      queued,
      scans: [...started.values()].map((entry) => toStarted(entry, sizes.pages, assetsPerPage)),
    }),
    /** Expected pages of an inventory without a recorded size: the mean of recent scans. */
    get typicalPages(): number {
      return sizes.pages;
    },
  };
}

/** However far the clock was ahead that wrote them, it waits no longer from when it is first seen. */
function deadlinesOf(
  { queueDeadlineMs, collectDeadlineMs: endMs }: PlannedRefresh,
  sinceMs: number,
  { queueMs, collectMs }: OpenRules,
): Pick<PlannedRefresh, 'queueDeadlineMs' | 'collectDeadlineMs'> {
  return {
    queueDeadlineMs: Math.min(queueDeadlineMs, sinceMs + queueMs),
    collectDeadlineMs: endMs === null ? null : Math.min(endMs, sinceMs + collectMs),
  };
}

function isLargerThanExpected(refresh: PlannedRefresh, assetsPerPage: number): boolean {
  const pages = reportedPages(refresh, assetsPerPage);
  return pages !== null && pages > (refresh.expectedPages ?? 0);
}

function toStarted(entry: Entry, typicalPages: number, assetsPerPage: number): StartedScan {
  const { expectedPages, reportedTotalCount } = entry;
  return {
    ...entry,
    deadlineMs: entry.collectDeadlineMs ?? 0,
    pagesLeft: expectedPagesLeft(entry, assetsPerPage, typicalPages),
    isSizeKnown: reportedTotalCount !== null || expectedPages !== null,
  };
}
