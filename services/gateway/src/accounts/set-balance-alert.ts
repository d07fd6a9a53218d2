import type { AccountId, RequestId } from '@inventory/contracts/ids';
import { billingCommandId } from '@inventory/contracts/messages/billing-commands';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { Logger } from '@inventory/runtime/logger';
import { type RequestReplyClient, replyOf } from '../commands/request-reply-client.ts';

export interface SetBalanceAlertDeps {
  readonly commands: RequestReplyClient;
  readonly logger: Logger;
  readonly decisionTimeoutMs: number;
}

export interface WantedBalanceAlert {
  readonly accountId: AccountId;
  readonly requestId: RequestId;
  /** Null for no alert. */
  readonly threshold: number | null;
}

/**
 * Asks the ledger to warn when less than the threshold is available. Sent again it is another
 * command that sets the same, so a client may repeat what it does not know the outcome of. Throws
 * `service_unavailable` without an answer in time.
 */
export async function setBalanceAlert(
  { commands, logger, decisionTimeoutMs }: SetBalanceAlertDeps,
  { accountId, requestId, threshold }: WantedBalanceAlert,
): Promise<void> {
  const commandId = billingCommandId.configure(`${accountId}:${requestId}`);
  const command = {
    type: 'billing.configure.v1',
    id: commandId,
    waitingId: commandId,
    body: {
      command_id: commandId,
      account_id: accountId,
      request_id: requestId,
      change: { sets: 'balance_alert', threshold },
      reason: null,
    },
  } as const;
  const asked = await commands.request(
    command,
    replyOf('reply.billing-outcome.v1'),
    decisionTimeoutMs,
  );
  if (asked.result !== 'reply') {
    logger.warn({ cause: asked.cause, request_id: requestId }, 'no answer to a balance alert');
    throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
  }
  const { result, refusal } = asked.body.outcome;
  invariant(result === 'applied', `the ledger refused a balance alert with ${refusal?.code}`);
}
