import type { RefreshView } from '@inventory/contracts/internal/refresh';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { CollectorClient } from './collector-client.ts';
import type { RefreshServices } from './open-refreshes.ts';
import type { RefreshWait } from './refresh-waits.ts';

/**
 * A refresh of the Project; null when there is none. A refresh of another Project and a refused
 * attempt must be indistinguishable from an unknown id.
 */
export async function readRefresh(
  collector: CollectorClient,
  { accountId, projectId, refreshId }: RefreshWait,
  read?: 'interim',
): Promise<RefreshView | null> {
  const view = await collector.findRefresh(accountId, refreshId, read);
  return view?.projectId === projectId && view.decision !== 'refused' ? view : null;
}

export interface RefreshWish extends RefreshWait {
  /** 0 reads once. */
  readonly waitSeconds: number;
  /** Aborted when the connection of the client is closed. */
  readonly signal: AbortSignal;
}

/**
 * The refresh once it is terminal, or its state when the time has elapsed; null when the Project
 * has no such refresh. The wait starts before the first read, so a refresh that ends in between
 * notifies it.
 */
export async function awaitRefresh(
  { collector, waits, deadlines, stopping }: RefreshServices,
  { waitSeconds, signal, ...wait }: RefreshWish,
): Promise<RefreshView | null> {
  const { waitSecondMs, waitReadEveryMs } = deadlines;
  const waitMs = waitSeconds * waitSecondMs;
  const slot = waitMs > 0 ? waits.startWaiting(wait) : null;
  if (slot === null) return await readRefresh(collector, wait);
  const ending = AbortSignal.any([signal, stopping]);
  const startMs = monotonicNow();
  try {
    while (true) {
      const leftMs = waitMs - elapsedSince(startMs);
      const isLast = leftMs <= 0 || ending.aborted;
      const read = isLast ? undefined : 'interim';
      const view = await readRefresh(collector, wait, read);
      if (isLast || view === null || view.record.state === 'completed') return view;
      await slot.waitForNotification(Math.min(leftMs, waitReadEveryMs), ending);
    }
  } finally {
    slot.stopWaiting();
  }
}
