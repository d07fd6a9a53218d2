import type { HoldList } from '@inventory/contracts/internal/ledger';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import { isoTime } from '@inventory/runtime/clock';
/** Identical for every repetition of a key: nothing in it depends on the call. */
export function toWireEntry(outcome: BillingOutcome, wanted: { amount: number; reason: string }) {
  return {
    account_id: outcome.accountId,
    kind: outcome.kind,
    seq: outcome.seq,
    at: isoTime(outcome.atMs),
    asset: outcome.asset,
    amount: wanted.amount,
    reason: wanted.reason,
    request_id: outcome.requestId,
    balance: outcome.balance,
  };
}

export type Hold = HoldList['items'][number];

/** Position of a hold in the list: oldest first, ties by refresh. */
export function holdPosition(hold: Hold): string {
  return `${hold.reserved_at}/${hold.refresh_id}`;
}
