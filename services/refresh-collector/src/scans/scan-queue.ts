import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { PublishedPlan } from '../refreshes/published-plan.domain.ts';
import { createPlannedRefreshes } from './planned-refreshes.ts';
import type { ScanStore } from './scan-store.ts';

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
  scans: Pick<ScanStore, 'readTime' | 'readOpen' | 'readChangedSince'>,
  assetsPerPage: number,
  lastPlan: Pick<PublishedPlan, 'typicalPages' | 'reserved'>,
  clock: Clock,
) {
  const open = createPlannedRefreshes(assetsPerPage, lastPlan);
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
      const isSkewed = clock.now() - readSkewedMs >= readSkewedEveryMs;
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
