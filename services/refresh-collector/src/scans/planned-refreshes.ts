import { LRUCache } from 'lru-cache';
import type { PublishedPlan } from '../refreshes/published-plan.domain.ts';
import { expectedPagesLeft, reportedPages } from '../refreshes/recorded-scan.domain.ts';
import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import { createQueuedRefreshes } from './queued-refreshes.domain.ts';
import type { PlannedRefresh } from './scan-store.ts';
import { createTypicalPages } from './typical-pages.domain.ts';

/** Queued and collecting refreshes in memory. */
export interface PlannedRefreshes {
  /** Applies a change unless a later one is known; true when a plan depends on it. */
  put(refresh: PlannedRefresh): boolean;
  remove(id: string): void;
  get(id: string): PlannedRefresh | undefined;
  ids(): Iterable<string>;
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

const inventoriesMax = 10_000;
const endedMax = 10_000;

export function createPlannedRefreshes(
  assetsPerPage: number,
  lastPlan: Pick<PublishedPlan, 'typicalPages' | 'reserved'>,
): PlannedRefreshes {
  const entries = new Map<string, Entry>();
  const queued = createQueuedRefreshes();
  const started = new Map<string, Entry>();
  /** They never open again; a read may be older than their end. */
  const ended = new LRUCache<string, true>({ max: endedMax });
  const sizes = createTypicalPages(lastPlan.typicalPages);
  const reservedBefore = new Set(lastPlan.reserved);
  /** Pages of inventories by their latest scans, which may be later than the request of a refresh. */
  const reported = new LRUCache<string, number>({ max: inventoriesMax });

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
    reported.set(inventory, pages);
    for (const { id } of queued.ofInventory(inventory)) {
      const entry = entries.get(id);
      if (entry) set({ ...entry, expectedPages: pages });
    }
  }

  return {
    put(refresh) {
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
      set({
        ...refresh,
        expectedPages: known ?? refresh.expectedPages,
        isReserved: isFirstReport ? isExpected : isReserved,
      });
      return (
        before?.phase !== phase ||
        before.pages !== refresh.pages ||
        before.parked !== refresh.parked
      );
    },
    remove: (id) => void remove(id),
    get: (id) => entries.get(id),
    ids: () => entries.keys(),
    pagesLeft(id) {
      const entry = entries.get(id);
      return entry ? expectedPagesLeft(entry, assetsPerPage, sizes.pages) : 0;
    },
    markReserved(ids) {
      return ids.filter((id) => {
        const entry = entries.get(id);
        if (entry && !entry.isReserved) set({ ...entry, isReserved: true });
        return entry !== undefined && isLargerThanExpected(entry, assetsPerPage);
      });
    },
    snapshot: () => ({
      queued,
      scans: [...started.values()].map((entry) => toStarted(entry, sizes.pages, assetsPerPage)),
    }),
    get typicalPages() {
      return sizes.pages;
    },
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
