import type { CancelRequest, RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import { attemptCancelled, type Refresh } from './refresh.domain.ts';

/** The least seconds until the status of a pending refresh is worth a read. */
export const retryAfterSecondsMin = 1;

/** An accepted attempt; `waitingId` is that of the request that waits for the decision. */
export function newRefresh(
  request: RefreshRequest,
  waitingId: string | undefined,
  trace: Refresh['trace'],
  queueDeadlineMs: number,
): Refresh {
  return {
    ...request,
    trace,
    waitingId: waitingId ?? null,
    version: 1,
    phase: 'accepted',
    expectedPages: null,
    queueDeadlineMs,
    retryAfterSeconds: retryAfterSecondsMin,
    collectDeadlineMs: null,
    completedAtMs: null,
    refusal: null,
    acceptance: null,
    cancelRequested: false,
    outcome: null,
    observedAssets: null,
    revisionId: null,
    previousRevisionId: null,
    observedAtMs: null,
    billing: {
      state: 'reserved',
      disposition: null,
      asset: 'credits',
      reserved: 0,
      charged: null,
      released: null,
    },
    eventAppended: false,
    scan: null,
  };
}

/** An attempt that is refused releases its Idempotency-Key. */
export function refusedAttempt(attempt: Refresh, refusal: RefreshRefusal): Refresh {
  return { ...attempt, phase: 'refused', refusal, idempotencyKey: null };
}

/** Stored by a cancel that was delivered before its request: the request is refused by it. */
export function cancelledPlaceholder(
  { refreshId, accountId, projectId }: CancelRequest,
  trace: Refresh['trace'],
  nowMs: number,
): Refresh {
  const request = {
    refreshId,
    accountId,
    projectId,
    requestId: `req_${refreshId}`,
    idempotencyKey: null,
    fingerprint: '',
    scope: { platform_id: '0'.repeat(17), app_id: 1, context_id: 1 },
    language: 'english',
    maxCredits: 0,
    requestedAtMs: nowMs,
    freshness: null,
    watchId: null,
    credentialId: null,
  } as const;
  return refusedAttempt(newRefresh(request, undefined, trace, nowMs), attemptCancelled);
}
