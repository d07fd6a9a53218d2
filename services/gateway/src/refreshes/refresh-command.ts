import type { AccountId, ProjectId, RefreshId, RequestId, WatchId } from '@inventory/contracts/ids';
import { acceptanceOf } from '@inventory/contracts/internal/refresh';
import type { MessageBody } from '@inventory/contracts/messages';
import { heldBy } from '@inventory/contracts/messages/billing-outcome';
import type { ReceivedMessage } from '@inventory/messaging/bus';
import { isoTime } from '@inventory/runtime/clock';
import type { RefreshInputs } from './refresh-fingerprint.domain.ts';

type Decision = MessageBody<'reply.refresh-decision.v1'>;

/** What the command says of a refresh. */
export interface CommandedRefresh extends RefreshInputs {
  readonly requestId: RequestId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly idempotencyKey: string | null;
  /** What is sent of `maxAgeSeconds`; null where no saved observation may answer. */
  readonly freshness: NonNullable<MessageBody<'refresh.request.v1'>['freshness']> | null;
}

/**
 * A published hold is the acceptance: the hold is the last step before it, so nothing can refuse
 * the refresh after it, and one hop is saved. All other outcomes of the ledger are decided by the
 * collector.
 */
export function decisionIn(reply: ReceivedMessage): Decision | undefined {
  if (reply.type === 'reply.refresh-decision.v1') return reply.body;
  if (reply.type !== 'reply.billing-outcome.v1') return undefined;
  const { waiting_id, outcome, deadline_at, retry_after_seconds } = reply.body;
  if (outcome?.kind !== 'reserve' || outcome.result !== 'applied') return undefined;
  if (outcome.refresh_id === null) return undefined;
  if (deadline_at === undefined || retry_after_seconds === undefined) return undefined;
  return {
    waiting_id,
    refresh_id: outcome.refresh_id,
    decision: 'accepted',
    ...acceptanceOf(heldBy(outcome)),
    deadline_at,
    retry_after_seconds,
  };
}

export function commandOf(
  request: CommandedRefresh & { readonly watchId?: WatchId },
  refreshId: RefreshId,
  requestedAtMs: number,
  fingerprint: string,
) {
  return {
    type: 'refresh.request.v1',
    id: `request:${refreshId}`,
    waitingId: `request:${refreshId}`,
    body: {
      refresh_id: refreshId,
      account_id: request.accountId,
      project_id: request.projectId,
      request_id: request.requestId,
      idempotency_key: request.idempotencyKey,
      fingerprint,
      scope: request.scope,
      language: request.language,
      max_credits: request.maxCredits,
      requested_at: isoTime(requestedAtMs),
      ...(request.freshness && { freshness: request.freshness }),
      ...(request.watchId && { watch_id: request.watchId }),
    },
  } as const;
}
