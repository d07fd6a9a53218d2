import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { PublishedPlan } from '../refreshes/published-plan.domain.ts';
import { expectedPagesLeft, reportedPages } from '../refreshes/recorded-scan.domain.ts';
import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import { createQueuedRefreshes } from './queued-refreshes.domain.ts';
import type { PlannedRefresh } from './scan-store.ts';
import { createTypicalPages } from './typical-pages.domain.ts';

export type PlannedRefreshes = ReturnType<typeof createPlannedRefreshes>;

interface Entry extends PlannedRefresh {
  readonly isReserved: boolean;
}

const inventoriesMax = 10_000;
const endedMax = 10_000;

/** Queued and collecting refreshes in memory. */
export function createPlannedRefreshes(
  assetsPerPage: number,
  lastPlan: Pick<PublishedPlan, 'typicalPages' | 'reserved'>,
) {
  const entries = new Map<string, Entry>();
  const queued = createQueuedRefreshes();
  const started = new Map<string, Entry>();
  /** They never open again; a read may be older than their end. */
  const ended = createRecentlyUsed<string, true>(endedMax);
  const sizes = createTypicalPages(lastPlan.typicalPages);
  const reservedBefore = new Set(lastPlan.reserved);
  /** Pages of inventories by their latest scans, which may be later than the request of a refresh. */
  const reported = createRecentlyUsed<string, number>(inventoriesMax);

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
