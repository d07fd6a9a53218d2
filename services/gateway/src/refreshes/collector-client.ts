import { type ServiceStatus, serviceStatus } from '@inventory/contracts/http/status';
import type { AccountId, ProjectId, RefreshId, WatchId } from '@inventory/contracts/ids';
import {
  type AttemptView,
  attemptView,
  type RefreshList,
  type RefreshView,
  refreshList,
  refreshPaths,
  refreshView,
} from '@inventory/contracts/internal/refresh';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { RefreshState } from '@inventory/contracts/vocabulary';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';

/** One part of a Project's refreshes, newest first. */
export interface RefreshListPart {
  readonly states: readonly RefreshState[];
  readonly refreshIds: readonly RefreshId[];
  /** Only the runs of this watch. */
  readonly watchId?: WatchId;
  /** Only those that cost something. */
  readonly chargedOnly?: boolean;
  readonly limit: number;
  /** Continue after this refresh. */
  readonly after: { readonly requestedAt: string; readonly refreshId: RefreshId } | null;
}

/** Reads of the refresh-collector. Rejects with ServiceUnreachable when it is unavailable. */
export interface CollectorClient {
  /** Null when there is no such refresh. Nothing is shown of an `interim` read of a pending one. */
  findRefresh(refreshId: RefreshId, read?: 'interim'): Promise<RefreshView | null>;
  listRefreshes(projectId: ProjectId, part: RefreshListPart): Promise<RefreshList>;
  /** Whether the key is known, else what its admission would refuse. */
  findAttempt(attempt: PlannedAttempt): Promise<AttemptView>;
  readStatus(): Promise<ServiceStatus>;
}

/** An attempt that is not made yet. */
export interface PlannedAttempt {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly scope: InventoryKey;
  readonly language: Language;
  /** Null where no saved observation may answer it. */
  readonly maxAgeSeconds: number | null;
  readonly idempotencyKey: string | null;
}

export function createCollectorClient(client: InternalClient): CollectorClient {
  return {
    findRefresh: (refreshId, read) =>
      nullIfRefused(
        client.json(refreshView, {
          method: 'GET',
          path: pathOf(refreshPaths.refresh, { refresh_id: refreshId }),
          query: { interim: read === 'interim' ? 'true' : undefined },
          refusals: ['refresh_not_found'],
        }),
      ),
    listRefreshes: (projectId, { states, refreshIds, watchId, chargedOnly, limit, after }) =>
      client.json(refreshList, {
        method: 'GET',
        path: pathOf(refreshPaths.refreshes, { project_id: projectId }),
        query: {
          state: states,
          refresh_id: refreshIds,
          watch_id: watchId,
          charged: chargedOnly ? 'true' : undefined,
          limit,
          before_requested_at: after?.requestedAt,
          before_refresh_id: after?.refreshId,
        },
      }),
    readStatus: () => client.json(serviceStatus, { method: 'GET', path: refreshPaths.status }),
    findAttempt: ({ accountId, projectId, scope, language, maxAgeSeconds, idempotencyKey }) =>
      client.json(attemptView, {
        method: 'GET',
        path: pathOf(refreshPaths.attempt, { project_id: projectId }),
        query: {
          account_id: accountId,
          ...scope,
          idempotency_key: idempotencyKey ?? undefined,
          ...(maxAgeSeconds === null ? {} : { language, max_age_seconds: maxAgeSeconds }),
        },
      }),
  };
}
