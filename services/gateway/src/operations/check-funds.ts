import type { AccountId } from '@inventory/contracts/ids';
import type { BalanceView, PriceList } from '@inventory/contracts/internal/ledger';
import type { FundsRefusal } from './page-charges.ts';

export interface CheckFundsDeps {
  readonly ledger: { balance(accountId: AccountId): Promise<BalanceView> };
  readonly prices: { list(): PriceList | null };
}

/**
 * Whether an account could pay for a live page now, so that the platform is not contacted for one
 * that cannot. Null when it could; the charge alone decides in the end.
 */
export async function checkFunds(
  { ledger, prices }: CheckFundsDeps,
  accountId: AccountId,
): Promise<FundsRefusal | null> {
  const { funding, balances } = await ledger.balance(accountId);
  const asset = funding === 'subscription' ? 'units' : 'credits';
  const available = balances.find((balance) => balance.asset === asset)?.available ?? 0;
  const required = prices.list()?.live_page ?? 0;
  if (available >= required) return null;
  return { code: `insufficient_${asset}`, required, available, limit: null };
}
