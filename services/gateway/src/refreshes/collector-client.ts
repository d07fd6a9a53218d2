import type { ProjectId, RefreshId } from '@inventory/contracts/ids';
import {
  type RefreshList,
  type RefreshView,
  refreshList,
  refreshPaths,
  refreshView,
} from '@inventory/contracts/internal/refresh';
import type { RefreshState } from '@inventory/contracts/vocabulary';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';

/** One part of a Project's refreshes, newest first. */
export interface RefreshListPart {
  readonly states: readonly RefreshState[];
  readonly refreshIds: readonly RefreshId[];
  readonly limit: number;
  /** Continue after this refresh. */
  readonly after: { readonly requestedAt: string; readonly refreshId: RefreshId } | null;
}

/** Reads of the refresh-collector. Rejects with ServiceUnreachable when it is unavailable. */
export interface CollectorClient {
  /** Null when there is no such refresh. */
  findRefresh(refreshId: RefreshId): Promise<RefreshView | null>;
  listRefreshes(projectId: ProjectId, part: RefreshListPart): Promise<RefreshList>;
}

export function createCollectorClient(client: InternalClient): CollectorClient {
  return {
    findRefresh: (refreshId) =>
      nullIfRefused(
        client.json(refreshView, {
          method: 'GET',
          path: pathOf(refreshPaths.refresh, { refresh_id: refreshId }),
          refusals: ['refresh_not_found'],
        }),
      ),
    listRefreshes: (projectId, { states, refreshIds, limit, after }) =>
      client.json(refreshList, {
        method: 'GET',
        path: pathOf(refreshPaths.refreshes, { project_id: projectId }),
        query: {
          state: states,
          refresh_id: refreshIds,
          limit,
          before_requested_at: after?.requestedAt,
          before_refresh_id: after?.refreshId,
        },
      }),
  };
}
