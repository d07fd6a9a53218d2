import type { FundsRefusal } from '@inventory/contracts/refusal';
import type { Account } from './account.domain.ts';
import { fundingAsset, insufficientCode } from './funding.domain.ts';
import { capRefusal } from './spend.domain.ts';

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
