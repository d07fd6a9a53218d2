import type { RefreshId } from '@inventory/contracts/ids';
import { refreshApi } from '@inventory/contracts/internal/refresh';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import {
  type CallInput,
  type InternalClient,
  nullIfRefused,
} from '@inventory/http/internal-client';

/** Reads of the refresh-collector. Rejects with ServiceUnreachable when it is unavailable. */
export type CollectorClient = ReturnType<typeof createCollectorClient>;

export function createCollectorClient({ call }: InternalClient) {
  return {
    /** Null when there is no such refresh. Nothing is shown of an `interim` read of a pending one. */
    findRefresh(refreshId: RefreshId, read?: 'interim') {
      const query = { interim: read === 'interim' ? ('true' as const) : undefined };
      return nullIfRefused(call(refreshApi.readRefresh, { path: { refreshId }, query }));
    },
    /** The refreshes of a Project, newest first. */
    listRefreshes: (input: CallInput<(typeof refreshApi.listRefreshes)['input']>) =>
      call(refreshApi.listRefreshes, input),
    readStatus: () => call(refreshApi.readStatus, {}),
    /** Whether the key is known, else what its admission would refuse. */
    findAttempt({ accountId, projectId, scope, freshness, ...attempt }: RefreshRequest) {
      const query = {
        ...scope,
        accountId,
        idempotencyKey: attempt.idempotencyKey ?? undefined,
        ...(freshness && {
          language: attempt.language,
          maxAgeSeconds: freshness.maxAgeSeconds,
        }),
      };
      return call(refreshApi.readAttempt, { path: { projectId }, query });
    },
  };
}
