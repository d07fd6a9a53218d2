import { refreshApi } from '@inventory/contracts/internal/refresh';
import { inventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import type { Estimate } from '../plan/status-estimate.domain.ts';
import type { Saga } from '../saga/open-saga.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import { findConfirmed, listConfirmed, type Reads } from './confirm-reservations.ts';
import { refreshRecordOf, refreshViewOf } from './refresh-view.ts';

const readRefreshRoute = internalRoute({
  ...refreshApi.readRefresh,
  async handle(reads: Reads, { path, query }) {
    const id = path.refreshId;
    const read = query.interim && 'interim';
    const refresh = completedHere(reads.saga, id) ?? (await findConfirmed(reads, id, read));
    if (!refresh) throw new Refused({ code: 'refresh_not_found' });
    const estimate = read
      ? reads.expectations.estimateOf(refresh, 0)
      : await estimateNow(reads, refresh);
    return refreshViewOf(refresh, estimate, reads.settleGraceMs);
  },
});

/** Long before it expires. */
const completedForMaxMs = 60_000;

/** Nothing that is shown of a completed refresh changes any more: its client, which waited, reads it now. */
export function completedHere({ refreshes, clock }: Saga, refreshId: string): Refresh | null {
  const cached = refreshes.cachedRefresh(refreshId);
  if (cached?.phase !== 'completed') return null;
  const sinceMs = cached.completedAtMs ?? Number.NEGATIVE_INFINITY;
  return Math.abs(clock.now() - sinceMs) < completedForMaxMs ? cached : null;
}

async function estimateNow({ lists, expectations }: Reads, refresh: Refresh): Promise<Estimate> {
  const waits = refresh.phase === 'queued' || refresh.phase === 'collecting';
  const before = waits ? await lists.countOpenBefore(refresh.accountId, refresh.requestedAtMs) : 0;
  return expectations.estimateOf(refresh, before);
}

const listRefreshesRoute = internalRoute({
  ...refreshApi.listRefreshes,
  async handle(reads: Reads, { path, query }) {
    const { beforeRequestedAtMs: requestedAtMs, beforeRefreshId: refreshId } = query;
    const ofInventory = inventoryKey.safeParse(query).data;
    const { items, hasMore } = await listConfirmed(reads, {
      projectId: path.projectId,
      states: query.state,
      refreshIds: query.refreshId,
      outcomes: query.outcome,
      inventory: ofInventory && inventoryKeyText(ofInventory),
      from: query.from,
      to: query.to,
      watchId: query.watchId,
      isCharged: query.charged && query.charged === 'true',
      limit: query.limit,
      before:
        requestedAtMs !== undefined && refreshId !== undefined
          ? { requestedAtMs, refreshId }
          : null,
    });
    return {
      items: items.map((refresh) => refreshRecordOf(refresh, reads.settleGraceMs)),
      hasMore,
    };
  },
});

/** Reads of refreshes for the gateway. */
export const refreshRoutes = [readRefreshRoute, listRefreshesRoute];
