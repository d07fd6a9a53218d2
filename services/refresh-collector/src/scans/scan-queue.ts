import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { LRUCache } from 'lru-cache';
import type { PublishedPlan } from '../refreshes/published-plan.domain.ts';
import { expectedPagesLeft, reportedPages } from '../refreshes/scan-size.domain.ts';
import type { QueuedRefresh, QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import type { PlannedRefresh, ScanStore } from './scan-store.ts';
import { createTypicalPages } from './typical-pages.domain.ts';

/**
 * Every queued and collecting refresh, in the memory of the planning replica. Read completely once,
 * then by changes: the cost follows the changes, not the length of the queue.
 */
export interface ScanQueue {
  /** Reads all of them, with a call between two batches. */
  load(betweenBatches?: () => Promise<unknown>): Promise<void>;
  /**
   * Reads the changes since the last read, after a load, and once a second those that a slower clock
   * may have written; true when there were any. One that is known by its version is no change.
   */
  update(): Promise<boolean>;
  /** Applies a change made by this replica, unless a later one is known. */
  put(refresh: PlannedRefresh): void;
  remove(id: string): void;
  get(id: string): PlannedRefresh | undefined;
  /** Pages that are expected to be read of it; 0 where it is not open. */
  pagesLeft(id: string): number;
  /** A plan reserved all pages that these scans have left; returns those larger than expected. */
  markReserved(ids: readonly string[]): string[];
  snapshot(): Pick<QueueSnapshot, 'queued' | 'scans'>;
  /** Expected pages of an inventory without a recorded size: the mean of recent scans. */
  readonly typicalPages: number;
}

interface Entry extends PlannedRefresh {
  readonly isReserved: boolean;
}

/** A write may become visible later than its `changedAt`. */
const visibleAfterMs = 500;
/** The clock of a new primary may be this much slower than that of the last one. */
const clockSkewMaxMs = 5_000;
const readSkewedEveryMs = 1_000;
const inventoriesMax = 10_000;
/** Ended refreshes never open again; a read may be older than their end. */
const endedMax = 10_000;

export function createScanQueue(
  scans: Pick<ScanStore, 'readTime' | 'readOpen' | 'readChangedSince'>,
  assetsPerPage: number,
  lastPlan: Pick<PublishedPlan, 'typicalPages' | 'reserved'>,
  clock: Clock,
): ScanQueue {
  const entries = new Map<string, Entry>();
  const ended = new LRUCache<string, true>({ max: endedMax });
  const sizes = createTypicalPages(lastPlan.typicalPages);
  const reservedBefore = new Set(lastPlan.reserved);
  const pagesByInventory = new LRUCache<string, number>({ max: inventoriesMax });
  /** Earlier changes are read, by the clock of the database; null before they are. */
  let changedMs: number | null = null;
  let readSkewedMs = Number.NEGATIVE_INFINITY;

  function put(refresh: PlannedRefresh): boolean {
    const { id, phase, version } = refresh;
    const before = entries.get(id);
    if (ended.has(id) || (before && version <= before.version)) return false;
    const pages = reportedPages(refresh, assetsPerPage);
    const isFirstReport = pages !== null && before?.reportedTotalCount === null;
    if (isFirstReport) {
      sizes.add(pages);
      pagesByInventory.set(refresh.inventory, pages);
    }
    if (phase !== 'queued' && phase !== 'collecting') {
      if (phase !== 'accepted') ended.set(id, true);
      return entries.delete(id);
    }
    const isExpected = !isLargerThanExpected(refresh, assetsPerPage);
    const isReserved = before ? before.isReserved : isExpected || reservedBefore.has(id);
    entries.set(id, { ...refresh, isReserved: isFirstReport ? isExpected : isReserved });
    return (
      before?.phase !== phase || before.pages !== refresh.pages || before.parked !== refresh.parked
    );
  }

  function current(id: string): Entry | undefined {
    const entry = entries.get(id);
    return entry && withReportedPages(entry, pagesByInventory);
  }

  return {
    async load(betweenBatches = () => Promise.resolve()) {
      const timeMs = await scans.readTime();
      const gone = new Set(entries.keys());
      for await (const found of scans.readOpen()) {
        for (const refresh of found) {
          gone.delete(refresh.id);
          put(refresh);
        }
        await betweenBatches();
      }
      for (const id of gone) entries.delete(id);
      changedMs = timeMs;
    },
    async update() {
      invariant(changedMs !== null, 'changes are read after a load');
      const isSkewed = clock.now() - readSkewedMs >= readSkewedEveryMs;
      const overlapMs = isSkewed ? clockSkewMaxMs : visibleAfterMs;
      let changed = false;
      for await (const found of scans.readChangedSince(changedMs - overlapMs)) {
        for (const refresh of found) {
          changed = put(refresh) || changed;
          changedMs = Math.max(changedMs, refresh.changedAtMs);
        }
      }
      if (isSkewed) readSkewedMs = clock.now();
      return changed;
    },
    put,
    remove: (id) => void entries.delete(id),
    get: current,
    pagesLeft(id) {
      const entry = current(id);
      return entry ? expectedPagesLeft(entry, assetsPerPage, sizes.pages) : 0;
    },
    markReserved(ids) {
      return ids.filter((id) => {
        const entry = entries.get(id);
        if (entry && !entry.isReserved) entries.set(id, { ...entry, isReserved: true });
        return entry !== undefined && isLargerThanExpected(entry, assetsPerPage);
      });
    },
    snapshot() {
      const all = [...entries.values()].map((entry) => withReportedPages(entry, pagesByInventory));
      return snapshotOf(all, sizes.pages, assetsPerPage);
    },
    get typicalPages() {
      return sizes.pages;
    },
  };
}

/** A scan of the same inventory may have reported its size since the refresh was requested. */
function withReportedPages(entry: Entry, pagesByInventory: LRUCache<string, number>): Entry {
  if (entry.phase !== 'queued') return entry;
  return { ...entry, expectedPages: pagesByInventory.get(entry.inventory) ?? entry.expectedPages };
}

function isLargerThanExpected(refresh: PlannedRefresh, assetsPerPage: number): boolean {
  const pages = reportedPages(refresh, assetsPerPage);
  return pages !== null && pages > (refresh.expectedPages ?? 0);
}

function snapshotOf(all: readonly Entry[], typicalPages: number, assetsPerPage: number) {
  return {
    queued: all.flatMap((entry) => (entry.phase === 'queued' ? toQueued(entry, typicalPages) : [])),
    scans: all.flatMap((entry) =>
      entry.phase === 'collecting' ? toStarted(entry, typicalPages, assetsPerPage) : [],
    ),
  };
}

function toQueued(entry: Entry, typicalPages: number): QueuedRefresh {
  const { expectedPages } = entry;
  return { ...entry, pages: expectedPages ?? typicalPages, isSizeKnown: expectedPages !== null };
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
