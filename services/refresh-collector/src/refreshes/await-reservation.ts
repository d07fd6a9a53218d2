import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import type { StoredRefresh } from './refresh-mapping.ts';
import type { RefreshStore } from './refresh-store.ts';

const waitMs = 500;
const pollIntervalMs = 25;

/**
 * The refresh once its reservation outcome is stored; null when there is no such refresh. A client
 * may read the refresh before that: the ledger replies to the gateway directly. Waits up to 500 ms,
 * after which the refresh is returned as `accepted`, as while the ledger is unavailable.
 */
export async function awaitReservation(
  refreshes: Pick<RefreshStore, 'findRefresh'>,
  refreshId: string,
): Promise<StoredRefresh | null> {
  const startMs = monotonicNow();
  while (true) {
    const stored = await refreshes.findRefresh(refreshId);
    if (stored?.refresh.phase !== 'accepted' || elapsedSince(startMs) > waitMs) return stored;
    await pause(pollIntervalMs);
  }
}
