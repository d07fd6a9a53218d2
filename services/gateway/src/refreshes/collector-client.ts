import { type Environment, environmentOf } from '@inventory/contracts/environment';
import type { AccountId, RefreshId } from '@inventory/contracts/ids';
import { refreshApi } from '@inventory/contracts/internal/refresh';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import {
  type CallInput,
  type InternalClient,
  nullIfRefused,
} from '@inventory/http/internal-client';

/** The refresh-collector of an environment. */
export type CollectorOf = (environment: Environment) => InternalClient;

/**
 * Reads of the refresh-collector of the account's environment. Rejects with ServiceUnreachable when it is
 * unavailable.
 */
export type CollectorClient = ReturnType<typeof createCollectorClient>;

export function createCollectorClient(collectorOf: CollectorOf) {
  const clientOf = (accountId: AccountId) => collectorOf(environmentOf(accountId));
  return {
    /** Null when there is no such refresh. Nothing is shown of an `interim` read of a pending one. */
    async findRefresh(accountId: AccountId, refreshId: RefreshId, read?: 'interim') {
      const query = { interim: read === 'interim' ? ('true' as const) : undefined };
      const view = clientOf(accountId).call(refreshApi.readRefresh, { path: { refreshId }, query });
      return await nullIfRefused(view);
    },
    /** The refreshes of a Project, newest first. */
    listRefreshes: async (
      accountId: AccountId,
      input: CallInput<(typeof refreshApi.listRefreshes)['input']>,
    ) => clientOf(accountId).call(refreshApi.listRefreshes, input),
    readStatus: () => collectorOf('live').call(refreshApi.readStatus, {}),
    /** Whether the key is known, else what its admission would refuse. */
    async findAttempt({ accountId, projectId, scope, freshness, ...attempt }: RefreshRequest) {
      const query = {
        ...scope,
        accountId,
        idempotencyKey: attempt.idempotencyKey ?? undefined,
        ...(freshness && {
          language: attempt.language,
          maxAgeSeconds: freshness.maxAgeSeconds,
        }),
      };
      return await clientOf(accountId).call(refreshApi.readAttempt, { path: { projectId }, query });
    },
  };
}
