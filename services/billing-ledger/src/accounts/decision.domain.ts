import type { BillingRefusal, FundsRefusal } from '@inventory/contracts/refusal';
import type { PriceBook } from '../prices/price-list.domain.ts';
import type { Account } from './account.domain.ts';
import type { Entry, EntryDetails } from './entry.domain.ts';
import { nothingMoved } from './movement.domain.ts';
import { capRefusal } from './spend.domain.ts';
import { fundingAsset, insufficientCode } from './terms.domain.ts';

type Details = Pick<Entry, 'asset'> & Partial<EntryDetails>;

/** An entry without its position in the journal. */
export type Decision = Details & Pick<Entry, 'kind' | 'change'>;

/** Nothing moves; the refusal is kept, so that the same command is refused for ever. */
export function refuse(details: Details, refusal: BillingRefusal): Decision {
  return { ...details, kind: 'refuse', change: nothingMoved, refusal };
}

/** All that an evaluation depends on beside the account and its command. */
export interface EvaluationContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly prices: PriceBook;
  /**
   * The entry that answers a command key, as far as it is known here. The journal refuses a second
   * entry for a key, so what is not known here is found out before anything is written.
   */
  readonly recorded: (key: string) => Entry | undefined;
}

/**
 * Why an account may not hold or pay so much now: too little is available of what it pays with, else
 * the spend cap of the Project. Null where it may.
 */
export function purchaseRefusal(
  account: Account,
  wanted: Parameters<typeof capRefusal>[1],
): FundsRefusal | null {
  const asset = fundingAsset(account.terms.funding);
  const { available } = account.balances[asset];
  const { required } = wanted;
  if (available < required)
    return { code: insufficientCode(asset), detail: { required, available } };
  return capRefusal(account, wanted);
}
