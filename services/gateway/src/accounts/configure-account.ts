import type { AccountId, RequestId } from '@inventory/contracts/ids';
import { type BillingConfiguration, billingCommandId } from '@inventory/contracts/messages/billing';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { Logger } from '@inventory/runtime/logger';
import { type RequestReplyClient, replyOf } from '../commands/request-reply-client.ts';

interface ConfigureServices {
  readonly commands: RequestReplyClient;
  readonly logger: Logger;
  readonly decisionTimeoutMs: number;
}

/**
 * Sends a setting of a customer's to the ledger. A repeated request is another command that sets the
 * same value, so a client may retry after an unknown outcome. Throws `service_unavailable` without an
 * outcome in time.
 */
export async function configureAccount(
  { commands, logger, decisionTimeoutMs }: ConfigureServices,
  { accountId, requestId }: { readonly accountId: AccountId; readonly requestId: RequestId },
  change: BillingConfiguration,
): Promise<void> {
  const commandId = billingCommandId.configure(`${accountId}:${requestId}`);
  const command = {
    type: 'billing.configure.v1',
    id: commandId,
    waitingId: commandId,
    body: { commandId, accountId, requestId, change, reason: null },
  } as const;
  const reply = await commands.request(
    command,
    replyOf('reply.billing-outcome.v1'),
    decisionTimeoutMs,
  );
  if (reply.result !== 'reply') {
    logger.warn({ cause: reply.cause, requestId }, `no outcome of a ${change.sets}`);
    throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
  }
  const { outcome } = reply.body;
  if (outcome === null) throw new Refused({ code: 'service_unavailable', retry_after_seconds: 60 });
  const { result, refusal } = outcome;
  invariant(result === 'applied', `the ledger refused a ${change.sets} with ${refusal?.code}`);
}
