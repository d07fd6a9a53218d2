import { balanceAlert } from '@inventory/contracts/http/account';
import type { AccountId, RequestId } from '@inventory/contracts/ids';
import { billingCommandId } from '@inventory/contracts/messages/billing';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import { replyOf } from '../commands/request-reply-client.ts';
import { dataRoute } from '../http/data-route.ts';
import type { AccountServices } from './account-services.ts';

/** PUT /v2/account/balance-alert: warns once each time the balance falls below the threshold. */
export const setBalanceAlertRoute = dataRoute({
  operationId: 'setBalanceAlert',
  tag: 'Account',
  summary: 'Balance alert',
  description:
    'Warns once each time less than the threshold becomes available; null for no alert. Setting ' +
    'it again is safe.',
  method: 'PUT',
  template: '/v2/account/balance-alert',
  permission: 'customer.account.manage.v1',
  input: { body: balanceAlert },
  bodyExample: { threshold: 500 },
  answer: {
    status: 200,
    description: 'The alert is set.',
    data: balanceAlert,
    example: { threshold: 500 },
  },
  errors: [],
  async handle(services: AccountServices, { body }, { requestId, principal: { accountId } }) {
    const { threshold } = body;
    await setBalanceAlert(services, { accountId, requestId, threshold });
    return { data: { threshold } };
  },
});

interface WantedBalanceAlert {
  readonly accountId: AccountId;
  readonly requestId: RequestId;
  /** Null for no alert. */
  readonly threshold: number | null;
}

/**
 * Sends the balance alert to the ledger. A repeated request is another command that sets the same
 * value, so a client may retry after an unknown outcome. Throws `service_unavailable` without an
 * outcome in time.
 */
async function setBalanceAlert(
  { commands, logger, decisionTimeoutMs }: AccountServices,
  { accountId, requestId, threshold }: WantedBalanceAlert,
): Promise<void> {
  const commandId = billingCommandId.configure(`${accountId}:${requestId}`);
  const command = {
    type: 'billing.configure.v1',
    id: commandId,
    waitingId: commandId,
    body: {
      commandId,
      accountId,
      requestId,
      change: { sets: 'balance_alert', threshold },
      reason: null,
    },
  } as const;
  const reply = await commands.request(
    command,
    replyOf('reply.billing-outcome.v1'),
    decisionTimeoutMs,
  );
  if (reply.result !== 'reply') {
    logger.warn({ cause: reply.cause, requestId }, 'no outcome of a balance alert');
    throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
  }
  const { outcome } = reply.body;
  if (outcome === null) throw new Refused({ code: 'service_unavailable', retry_after_seconds: 60 });
  const { result, refusal } = outcome;
  invariant(result === 'applied', `the ledger refused a balance alert with ${refusal?.code}`);
}
