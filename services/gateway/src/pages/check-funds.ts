import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { AccountTerms, BalanceView, PriceList } from '@inventory/contracts/internal/ledger';
import type { FundsRefusal } from '@inventory/contracts/refusal';

export interface CheckFundsDeps {
  readonly ledger: {
    balance(accountId: AccountId): Promise<BalanceView>;
    terms(accountId: AccountId): Promise<AccountTerms>;
  };
  readonly prices: { list(): PriceList | null };
}

/**
 * Whether a Project could pay for a live page now, so that the platform is not contacted for one
 * that cannot. Null when it could; the charge alone decides in the end. The balance comes before
 * the spend cap, as in the ledger.
 */
export async function checkFunds(
  { ledger, prices }: CheckFundsDeps,
  { accountId, projectId }: { readonly accountId: AccountId; readonly projectId: ProjectId },
): Promise<FundsRefusal | null> {
  const [balance, terms] = await Promise.all([ledger.balance(accountId), ledger.terms(accountId)]);
  const required = prices.list()?.live_page ?? 0;
  const available = availableIn(balance);
  if (available < required) {
    return { code: `insufficient_${assetOf(balance)}`, detail: { required, available } };
  }
  const capped = terms.spend_caps.find(({ project_id }) => project_id === projectId);
  if (capped === undefined || capped.spent + required <= capped.cap) return null;
  const { cap, spent, resets_at } = capped;
  return { code: 'spend_cap_reached', detail: { cap, spent, resets_at } };
}

function assetOf({ funding }: BalanceView): 'credits' | 'units' {
  return funding === 'subscription' ? 'units' : 'credits';
}

function availableIn(balance: BalanceView): number {
  const asset = assetOf(balance);
  return balance.balances.find((of) => of.asset === asset)?.available ?? 0;
}
