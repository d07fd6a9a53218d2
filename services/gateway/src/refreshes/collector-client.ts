import type { ProjectId, RefreshId, WatchId } from '@inventory/contracts/ids';
import { refreshApi } from '@inventory/contracts/internal/refresh';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { RefreshState } from '@inventory/contracts/vocabulary';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';

/** One part of a Project's refreshes, newest first. */
export interface RefreshListPart {
  readonly states: readonly RefreshState[];
  readonly refreshIds: readonly RefreshId[];
  /** Only the runs of this watch. */
  readonly watchId?: WatchId;
  /** Only those that cost something, or nothing. */
  readonly charged?: 'true' | 'false' | undefined;
  readonly limit: number;
  /** Continue after this refresh. */
  readonly after: { readonly requestedAt: string; readonly refreshId: RefreshId } | null;
}

/** An attempt that is not made yet. */
export type PlannedAttempt = Pick<
  RefreshRequest,
  'accountId' | 'projectId' | 'scope' | 'language' | 'freshness' | 'idempotencyKey'
>;

/** Reads of the refresh-collector. Rejects with ServiceUnreachable when it is unavailable. */
export type CollectorClient = ReturnType<typeof createCollectorClient>;

export function createCollectorClient({ call }: InternalClient) {
  return {
    /** Null when there is no such refresh. Nothing is shown of an `interim` read of a pending one. */
    findRefresh(refresh_id: RefreshId, read?: 'interim') {
      const query = { interim: read === 'interim' ? ('true' as const) : undefined };
      return nullIfRefused(call(refreshApi.readRefresh, { path: { refresh_id }, query }));
    },
    listRefreshes(project_id: ProjectId, part: RefreshListPart) {
      const { states, refreshIds, watchId, charged, limit, after } = part;
      const query = {
        state: states,
        refresh_id: refreshIds,
        watch_id: watchId,
        charged,
        limit,
        before_requested_at: after?.requestedAt,
        before_refresh_id: after?.refreshId,
      };
      return call(refreshApi.listRefreshes, { path: { project_id }, query });
    },
    readStatus: () => call(refreshApi.readStatus, {}),
    /** Whether the key is known, else what its admission would refuse. */
    findAttempt({ projectId: project_id, scope, freshness, ...attempt }: PlannedAttempt) {
      const query = {
        account_id: attempt.accountId,
        ...scope,
        idempotency_key: attempt.idempotencyKey ?? undefined,
        ...(freshness && {
          language: attempt.language,
          max_age_seconds: freshness.maxAgeSeconds,
        }),
      };
      return call(refreshApi.readAttempt, { path: { project_id }, query });
    },
  };
}
