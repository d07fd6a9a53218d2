import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import { isRecentSize, type PublishedPlan } from '../plan/published-plan.domain.ts';
import {
  expectedPagesLeft,
  type InventorySize,
  reportedPages,
} from '../saga/recorded-scan.domain.ts';
import type { PlannedRefresh } from '../saga/refresh.domain.ts';
import type { ScanStore } from '../scans/scan-store.ts';
import type { PlanLimits } from './planning.ts';
import type { OpenRefreshes, StartedScan } from './queue-snapshot.domain.ts';
import { createQueuedRefreshes, type QueuedRefresh } from './queued-refreshes.domain.ts';
import { createTypicalPages } from './typical-pages.domain.ts';

/** A write may become visible later than its `changedAt`. */
const visibleAfterMs = 500;
/** The clock of a new primary may be this much slower than that of the last one. */
const clockSkewMaxMs = 5_000;
const readSkewedEveryMs = 1_000;

/**
 * Every queued and collecting refresh, in the memory of the planning replica. Read completely once,
 * then by changes: the cost follows the changes, not the length of the queue.
 */
export function createScanQueue(
  scans: ScanStore,
  limits: PlanLimits,
  lastPlan: PublishedPlan,
  clock: Clock,
) {
  const open = createPlannedRefreshes(limits, lastPlan, clock);
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
          gone.delete(refresh.refreshId);
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
          changedMs = Math.max(changedMs, refresh.changedAt?.getTime() ?? 0);
        }
      }
      if (isSkewed) readSkewedMs = clock.now();
      return changed;
    },
  };
}

export type PlannedRefreshes = ReturnType<typeof createPlannedRefreshes>;

/** A planned refresh, as the plan reads it. */
interface Entry extends QueuedRefresh {
  readonly version: number;
  readonly phase: PlannedRefresh['phase'];
  readonly collectDeadlineMs: number | null;
  /** Whether an observation may be taken instead of a scan. */
  readonly takesObservation: boolean;
  readonly scan: PlannedRefresh['scan'];
  readonly isReserved: boolean;
  /** When it was first seen here in its phase. */
  readonly sinceMs: number;
}

const inventoriesMax = 10_000;
const endedMax = 10_000;

/** Queued and collecting refreshes in memory. */
export function createPlannedRefreshes(limits: PlanLimits, lastPlan: PublishedPlan, clock: Clock) {
  const { assetsPerPage } = limits;
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
      const { refreshId: id, phase, version, scan } = refresh;
      const inventory = inventoryKeyText(refresh.scope);
      const before = entries.get(id);
      if (ended.has(id) || (before && version <= before.version)) return false;
      const pages = scan && reportedPages(scan, assetsPerPage);
      const isFirstReport = pages !== null && before !== undefined && !isReported(before);
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
        ...entryOf(refresh, inventory, sinceMs, limits),
        ...(isRecent ? { expectedPages: known.pages } : {}),
        isReserved: isFirstReport ? isExpected : isReserved,
      });
      return (
        before?.phase !== phase ||
        before.scan?.pages !== scan?.pages ||
        before.scan?.parked !== scan?.parked
      );
    },
    remove: (id: string): void => void remove(id),
    get: (id: string): Entry | undefined => entries.get(id),
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
    snapshot: (): OpenRefreshes => ({
      queued,
      scans: [...started.values()].map((entry) => toStarted(entry, sizes.pages, assetsPerPage)),
      typicalPages: sizes.pages,
    }),
  };
}

/**
 * However far the clock was ahead that wrote its deadlines, a refresh waits no longer from when it is
 * first seen in its phase.
 */
function entryOf(
  refresh: PlannedRefresh,
  inventory: string,
  sinceMs: number,
  { queueMs, collectMs }: PlanLimits,
) {
  const { refreshId: id, version, accountId, phase, expectedPages, scan } = refresh;
  const { queueDeadlineMs, collectDeadlineMs: endMs } = refresh;
  return {
    id,
    version,
    accountId,
    inventory,
    appId: refresh.scope.app_id,
    phase,
    queueDeadlineMs: Math.min(queueDeadlineMs, sinceMs + queueMs),
    collectDeadlineMs: endMs === null ? null : Math.min(endMs, sinceMs + collectMs),
    expectedPages,
    takesObservation: refresh.freshness !== null,
    isWatch: refresh.watchId !== null,
    scan,
    sinceMs,
  };
}

function isLargerThanExpected(
  { scan, expectedPages }: PlannedRefresh | Entry,
  assetsPerPage: number,
): boolean {
  const pages = scan && reportedPages(scan, assetsPerPage);
  return pages !== null && pages > (expectedPages ?? 0);
}

function isReported({ scan }: Entry): boolean {
  return scan !== null && scan.reportedTotalCount !== null;
}

function toStarted(entry: Entry, typicalPages: number, assetsPerPage: number): StartedScan {
  return {
    ...entry,
    parked: entry.scan?.parked ?? false,
    deadlineMs: entry.collectDeadlineMs ?? 0,
    pagesLeft: expectedPagesLeft(entry, assetsPerPage, typicalPages),
    isSizeKnown: isReported(entry) || entry.expectedPages !== null,
  };
}
