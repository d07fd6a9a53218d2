import type { LedgerAsset } from '@inventory/contracts/vocabulary';

/** How an account pays: one mode at a time. */
export type Funding =
  | { readonly mode: 'credits' }
  | { readonly mode: 'subscription'; readonly unitsPerMonth: number };

/** Every account begins prepaid. */
export const prepaid: Funding = { mode: 'credits' };

/** What an account pays with now. */
export function fundingAsset(funding: Funding): LedgerAsset {
  return funding.mode === 'subscription' ? 'units' : 'credits';
}

export function insufficientCode(asset: LedgerAsset) {
  return `insufficient_${asset}` as const;
}
