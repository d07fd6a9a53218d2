import type { LedgerAsset } from '@inventory/contracts/vocabulary';

/** What an account pays with now. Every account is prepaid; subscription units come beside it. */
export const prepaidFunding: LedgerAsset = 'credits';

export type InsufficientCode = 'insufficient_credits' | 'insufficient_units';

export function insufficientCode(asset: LedgerAsset): InsufficientCode {
  return asset === 'credits' ? 'insufficient_credits' : 'insufficient_units';
}
