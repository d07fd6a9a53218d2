import type { AccountId } from '@inventory/contracts/ids';
import type { AccountTerms } from '@inventory/contracts/internal/ledger';
import {
  type BillingConfiguration,
  billingCommandId,
} from '@inventory/contracts/messages/billing-commands';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import { type RequestLedgerDeps, requestIdOf, requestLedger } from '../commands/request-ledger.ts';
import type { TenancyStore } from '../tenancy/tenancy-store.ts';
import type { LedgerClient } from './ledger-client.ts';

interface WantedConfiguration {
  readonly accountId: AccountId;
  readonly change: BillingConfiguration;
  readonly reason: string | null;
  /** 1 to 200 printable ASCII characters; identifies this change of this account permanently. */
  readonly idempotencyKey: string;
}

interface Deps extends RequestLedgerDeps {
  readonly tenancy: Pick<TenancyStore, 'findAccount'>;
  readonly ledger: Pick<LedgerClient, 'readTerms'>;
}

/**
 * Changes how an account pays or what a Project may spend, and returns the terms after it. A
 * repeated key changes nothing, even after another change.
 */
export async function configureAccount(
  deps: Deps,
  { accountId, change, reason, idempotencyKey }: WantedConfiguration,
): Promise<AccountTerms> {
  const account = await deps.tenancy.findAccount(accountId);
  if (account === null) throw new Refused({ code: 'account_not_found' });
  const commandId = billingCommandId.configure(`${accountId}:${idempotencyKey}`);
  const request_id = requestIdOf(commandId);
  const outcome = await requestLedger(deps, {
    type: 'billing.configure.v1',
    id: commandId,
    body: { command_id: commandId, account_id: accountId, request_id, change, reason },
  });
  if (outcome.result === 'refused') {
    const code = outcome.refusal?.code;
    invariant(code === 'idempotency_conflict', `the ledger refused a configuration with ${code}`);
    throw new Refused({ code });
  }
  return deps.ledger.readTerms(accountId);
}
