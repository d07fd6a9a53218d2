import { projectId } from '@inventory/contracts/ids';
import { refreshListQuery } from '@inventory/contracts/internal/refresh';
import { Refused } from '@inventory/http/refused';
import { type Clock, fromIsoTime } from '@inventory/runtime/clock';
import type Router from '@koa/router';
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

export interface RefreshRoutes {
  readonly refreshes: RefreshStore;
  readonly lists: RefreshListStore;
  readonly pace: CollectionPace;
  readonly plan: () => PublishedPlan;
  readonly assetsPerPage: number;
  readonly clock: Clock;
}

/** Reads of refreshes for the gateway. */
export function addRefreshRoutes(router: Router, routes: RefreshRoutes): void {
  const { clock, pace, assetsPerPage } = routes;

  /** Its own pages and, while it is queued, those of its account's refreshes before it. */
  async function pagesAhead(refresh: Refresh, left: number): Promise<number> {
    if (refresh.phase !== 'queued') return left;
    const before = await routes.lists.countOpenBefore(refresh.accountId, refresh.requestedAtMs);
    return (before + 1) * routes.plan().typicalPages;
  }

  router.get('/refreshes/:refresh_id', async (context) => {
    const refreshId = String(context.params['refresh_id']);
    const stored = await awaitReservation(routes.refreshes, refreshId);
    if (!stored) throw new Refused({ code: 'refresh_not_found' });
    const { refresh } = stored;
    const left = pagesLeft(refresh.scan, assetsPerPage);
    const ahead = await pagesAhead(refresh, left);
    context.body = toWireView(refresh, {
      retryAfterSeconds: retryAfterSeconds(refresh, left, pace, clock.now()),
      expectedCompletedMs: expectedCompletedMs(refresh, ahead, routes.plan(), clock.now()),
    });
  });

  router.get('/projects/:project_id/refreshes', async (context) => {
    const query = refreshListQuery.parse({
      ...context.query,
      state: many(context.query['state']),
      refresh_id: many(context.query['refresh_id']),
    });
    const { items, hasMore } = await routes.lists.listRefreshes({
      projectId: projectId.parse(context.params['project_id']),
      states: query.state,
      refreshIds: query.refresh_id,
      limit: query.limit,
      before:
        query.before_requested_at && query.before_refresh_id
          ? {
              requestedAtMs: fromIsoTime(query.before_requested_at),
              refreshId: query.before_refresh_id,
            }
          : null,
    });
    context.body = { items: items.map(toWireRecord), has_more: hasMore };
  });
}

function many(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat();
}
