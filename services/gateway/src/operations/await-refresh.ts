import type { AccountId, ProjectId, RefreshId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { type ReadRefreshDeps, readRefresh } from './read-refresh.ts';
import type { RefreshWaits } from './refresh-waits.ts';

export interface AwaitRefreshDeps extends ReadRefreshDeps {
  readonly waits: RefreshWaits;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

export interface RefreshWish {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly refreshId: RefreshId;
  /** 0 reads once. */
  readonly waitMs: number;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** A ring can be lost with its broker, or be late: then the collector is asked all the same. */
const readEveryMs = 5_000;

/**
 * The refresh once it is terminal, or as it is when the time is over; null when the Project has no
 * such refresh. The place is taken before the first read: a refresh that ends in between has rung.
 */
export async function awaitRefresh(
  deps: AwaitRefreshDeps,
  { accountId, projectId, refreshId, waitMs, signal }: RefreshWish,
): Promise<RefreshView | null> {
  const place = waitMs > 0 ? deps.waits.enter(accountId, refreshId) : null;
  if (place === null) return await readRefresh(deps, projectId, refreshId);
  const ending = AbortSignal.any([signal, deps.stopping]);
  const startMs = monotonicNow();
  try {
    while (true) {
      const view = await readRefresh(deps, projectId, refreshId);
      const leftMs = waitMs - elapsedSince(startMs);
      const isOver = view === null || view.record.state === 'completed';
      if (isOver || leftMs <= 0 || ending.aborted) return view;
      await place.rang(Math.min(leftMs, readEveryMs), ending);
    }
  } finally {
    place.leave();
  }
}
