import { projectPath, refreshIdPath } from '@inventory/contracts/http/parameters';
import { refreshList, refreshListQuery, refreshView } from '@inventory/contracts/internal/refresh';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import { type Clock, fromIsoTime } from '@inventory/runtime/clock';
import { awaitReservation } from './await-reservation.ts';
import { toWireRecord, toWireView } from './convert.ts';
import type { PublishedPlan } from './published-plan.domain.ts';
import type { Refresh } from './refresh.domain.ts';
import type { RefreshListStore } from './refresh-list-store.ts';
import type { RefreshStore } from './refresh-store.ts';
import {
  type CollectionPace,
  expectedCompletedMs,
  pagesLeft,
  retryAfterSeconds,
} from './retry-after.domain.ts';

export interface RefreshRoutesDeps {
  readonly refreshes: RefreshStore;
  readonly lists: RefreshListStore;
  readonly pace: CollectionPace;
  readonly plan: () => PublishedPlan;
  readonly assetsPerPage: number;
  readonly clock: Clock;
}

const readRefreshRoute = internalRoute({
  method: 'GET',
  template: '/refreshes/{refresh_id}',
  input: { path: refreshIdPath },
  answer: refreshView,
  async handle(deps: RefreshRoutesDeps, { path }) {
    const { clock, pace, plan, assetsPerPage } = deps;
    const stored = await awaitReservation(deps.refreshes, path.refresh_id);
    if (!stored) throw new Refused({ code: 'refresh_not_found' });
    const { refresh } = stored;
    const left = pagesLeft(refresh.scan, assetsPerPage);
    const ahead = await pagesAhead(deps, refresh, left);
    return toWireView(refresh, {
      retryAfterSeconds: retryAfterSeconds(refresh, left, pace, clock.now()),
      expectedCompletedMs: expectedCompletedMs(refresh, ahead, plan(), clock.now()),
    });
  },
});

/** Its own pages and, while it is queued, those of its account's refreshes before it. */
async function pagesAhead(
  { lists, plan }: Pick<RefreshRoutesDeps, 'lists' | 'plan'>,
  refresh: Refresh,
  left: number,
): Promise<number> {
  if (refresh.phase !== 'queued') return left;
  const before = await lists.countOpenBefore(refresh.accountId, refresh.requestedAtMs);
  return (before + 1) * plan().typicalPages;
}

const listRefreshesRoute = internalRoute({
  method: 'GET',
  template: '/projects/{project_id}/refreshes',
  input: { path: projectPath, query: refreshListQuery },
  answer: refreshList,
  async handle({ lists }: RefreshRoutesDeps, { path, query }) {
    const { before_requested_at: beforeAt, before_refresh_id: beforeId } = query;
    const { items, hasMore } = await lists.listRefreshes({
      projectId: path.project_id,
      states: query.state,
      refreshIds: query.refresh_id,
      limit: query.limit,
      before:
        beforeAt && beforeId ? { requestedAtMs: fromIsoTime(beforeAt), refreshId: beforeId } : null,
    });
    return { items: items.map(toWireRecord), has_more: hasMore };
  },
});

/** Reads of refreshes for the gateway. */
export const refreshRoutes = [readRefreshRoute, listRefreshesRoute];
