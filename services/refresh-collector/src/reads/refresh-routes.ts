import { refreshApi } from '@inventory/contracts/internal/refresh';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import type { InventorySizes } from '../admission/admit-refresh.ts';
import type { AdmissionWatch } from '../admission/watch-admission.ts';
import { type FindObservationDeps, findObservation } from '../observations/find-observation.ts';
import type { Estimate } from '../plan/status-estimate.domain.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { RefreshListStore } from '../saga/refresh-list-store.ts';
import type { RefreshStore } from '../saga/refresh-store.ts';
import { type ConfirmDeps, findConfirmed, listConfirmed } from './confirm-reservations.ts';
import { recordOf, viewOf } from './convert.ts';

export interface RefreshRoutesDeps extends FindObservationDeps, ConfirmDeps {
  readonly refreshes: RefreshStore;
  readonly lists: RefreshListStore;
  readonly inventories: InventorySizes;
  readonly admission: Pick<AdmissionWatch, 'refusalOf'>;
  readonly estimate: (refresh: Refresh, before: number) => Estimate;
  readonly settleGraceMs: number;
}

const readRefreshRoute = internalRoute({
  ...refreshApi.readRefresh,
  async handle(deps: RefreshRoutesDeps, { path, query }) {
    const id = path.refreshId;
    const refresh = completedHere(deps, id) ?? (await findConfirmed(deps, id));
    if (!refresh) throw new Refused({ code: 'refresh_not_found' });
    const isInterim = query.interim !== undefined;
    const estimate = isInterim ? deps.estimate(refresh, 0) : await estimateNow(deps, refresh);
    return viewOf(refresh, estimate, deps.settleGraceMs);
  },
});

/** Long before it expires. */
const completedForMaxMs = 60_000;

/** Nothing that is shown of a completed refresh changes any more: its client, which waited, reads it now. */
export function completedHere(
  {
    refreshes,
    clock,
  }: Pick<RefreshRoutesDeps, 'clock'> & {
    readonly refreshes: RefreshStore;
  },
  refreshId: string,
): Refresh | null {
  const cached = refreshes.cachedRefresh(refreshId);
  if (cached?.phase !== 'completed') return null;
  const sinceMs = cached.completedAtMs ?? Number.NEGATIVE_INFINITY;
  return Math.abs(clock.now() - sinceMs) < completedForMaxMs ? cached : null;
}

async function estimateNow(
  { lists, estimate }: RefreshRoutesDeps,
  refresh: Refresh,
): Promise<Estimate> {
  const waits = refresh.phase === 'queued' || refresh.phase === 'collecting';
  const before = waits ? await lists.countOpenBefore(refresh.accountId, refresh.requestedAtMs) : 0;
  return estimate(refresh, before);
}

const listRefreshesRoute = internalRoute({
  ...refreshApi.listRefreshes,
  async handle(deps: RefreshRoutesDeps, { path, query }) {
    const { beforeRequestedAtMs: requestedAtMs, beforeRefreshId: refreshId } = query;
    const { items, hasMore } = await listConfirmed(deps, {
      projectId: path.projectId,
      states: query.state,
      refreshIds: query.refreshId,
      watchId: query.watchId,
      isCharged: query.charged && query.charged === 'true',
      limit: query.limit,
      before:
        requestedAtMs !== undefined && refreshId !== undefined
          ? { requestedAtMs, refreshId }
          : null,
    });
    return { items: items.map((refresh) => recordOf(refresh, deps.settleGraceMs)), hasMore };
  },
});

const readAttemptRoute = internalRoute({
  ...refreshApi.readAttempt,
  async handle(deps: RefreshRoutesDeps, { path, query }) {
    const { accountId, idempotencyKey: key, language, maxAgeSeconds, ...scope } = query;
    const isKnown =
      key !== undefined && (await deps.refreshes.readKeyState(path.projectId, key)).holder !== null;
    if (isKnown) return { isKnownKey: true, refusal: null, isSaved: false };
    const expectedPages = await deps.inventories.expectedPages(inventoryKeyText(scope));
    const refusal = await deps.admission.refusalOf({ accountId, scope }, expectedPages);
    if (language === undefined || maxAgeSeconds === undefined)
      return { isKnownKey: false, refusal, isSaved: false };
    const saved = await findObservation(deps, { scope, language, freshness: { maxAgeSeconds } });
    return { isKnownKey: false, refusal, isSaved: saved !== null };
  },
});

/** Reads of refreshes for the gateway. */
export const refreshRoutes = [readRefreshRoute, listRefreshesRoute, readAttemptRoute];
