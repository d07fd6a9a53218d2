import type { AccountId } from '@inventory/contracts/ids';
import { billingCommandId } from '@inventory/contracts/messages/billing-commands';
import type { BillingOutcome } from '@inventory/contracts/messages/billing-outcome';
import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { Bug } from '@inventory/runtime/bug';
import { type RequestLedgerDeps, requestIdOf, requestLedger } from '../commands/request-ledger.ts';
import type { TenancyStore } from '../tenancy/tenancy-store.ts';

interface WantedEntry {
  readonly kind: 'grant' | 'adjust';
  readonly accountId: AccountId;
  readonly asset: LedgerAsset;
  readonly amount: number;
  readonly reason: string;
  /** 1 to 200 printable ASCII characters; identifies this entry of this account permanently. */
  readonly idempotencyKey: string;
}

interface Deps extends RequestLedgerDeps {
  readonly tenancy: Pick<TenancyStore, 'findAccount'>;
}

/**
 * Books credits or units of an account by a command to the ledger, and returns its outcome. The
 * same key and inputs produce the same command, byte for byte, and the same outcome.
 */
export async function bookEntry(deps: Deps, wanted: WantedEntry): Promise<BillingOutcome> {
  const account = await deps.tenancy.findAccount(wanted.accountId);
  if (account === null) throw new Refused({ code: 'account_not_found' });
  const outcome = await requestLedger(deps, commandOf(wanted));
  if (outcome.result === 'applied') return outcome;
  const { refusal } = outcome;
  switch (refusal?.code) {
    case 'idempotency_conflict':
    case 'balance_limit_exceeded':
    case 'insufficient_credits':
    case 'insufficient_units':
      throw new Refused(refusal);
    default:
      throw new Bug(`the ledger refused an entry with ${refusal?.code}`);
  }
}

/** A key is unique within its account; command ids are unique over all accounts. */
function commandOf(wanted: WantedEntry): OutgoingMessage {
  const key = `${wanted.accountId}:${wanted.idempotencyKey}`;
  const commandId = billingCommandId[wanted.kind](key);
  return {
    type: wanted.kind === 'grant' ? 'billing.grant.v1' : 'billing.adjust.v1',
    id: commandId,
    body: {
      command_id: commandId,
      account_id: wanted.accountId,
      request_id: requestIdOf(commandId),
      asset: wanted.asset,
      amount: wanted.amount,
      reason: wanted.reason,
    },
  };
}
