import { serviceStatus } from '@inventory/contracts/http/status';
import type { AccountId, ProjectId, RefreshId, WatchId } from '@inventory/contracts/ids';
import {
  attemptView,
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

export type CollectorClient = ReturnType<typeof createCollectorClient>;

/** Reads of the refresh-collector. Rejects with ServiceUnreachable when it is unavailable. */
export function createCollectorClient(client: InternalClient) {
  return {
    /** Null when there is no such refresh. Nothing is shown of an `interim` read of a pending one. */
    findRefresh: (refreshId: RefreshId, read?: 'interim') =>
      nullIfRefused(
        client.json(refreshView, {
          method: 'GET',
          path: pathOf(refreshPaths.refresh, { refresh_id: refreshId }),
          query: { interim: read === 'interim' ? 'true' : undefined },
          refusals: ['refresh_not_found'],
        }),
      ),
    listRefreshes: (
      projectId: ProjectId,
      { states, refreshIds, watchId, chargedOnly, limit, after }: RefreshListPart,
    ) =>
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
    /** Whether the key is known, else what its admission would refuse. */
    findAttempt: ({ accountId, projectId, maxAgeSeconds: age, ...inputs }: PlannedAttempt) =>
      client.json(attemptView, {
        method: 'GET',
        path: pathOf(refreshPaths.attempt, { project_id: projectId }),
        query: {
          account_id: accountId,
          ...inputs.scope,
          idempotency_key: inputs.idempotencyKey ?? undefined,
          ...(age === null ? {} : { language: inputs.language, max_age_seconds: age }),
        },
      }),
  };
}
