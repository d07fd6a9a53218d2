import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import type { StoredRefresh } from './refresh-mapping.ts';
import type { RefreshStore } from './refresh-store.ts';

const waitMs = 500;
const lookEveryMs = 25;

/**
 * The refresh as it stands once its reservation is known here too. Whoever requested it may have
 * heard of the hold from the ledger a moment before this service has written it down; a ledger that
 * is away leaves it `accepted` after half a second. Null when it is not known.
 */
export async function awaitReservation(
  refreshes: Pick<RefreshStore, 'find'>,
  refreshId: string,
): Promise<StoredRefresh | null> {
  const startMs = monotonicNow();
  while (true) {
    const stored = await refreshes.find(refreshId);
    if (stored?.refresh.phase !== 'accepted' || elapsedSince(startMs) > waitMs) return stored;
    await pause(lookEveryMs);
  }
}
