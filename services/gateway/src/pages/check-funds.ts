import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { AccountFunds, PriceList } from '@inventory/contracts/internal/ledger';
import type { FundsRefusal } from '@inventory/contracts/refusal';

export interface CheckFundsDeps {
  readonly ledger: {
    readFunds(accountId: AccountId, projectId: ProjectId): Promise<AccountFunds>;
  };
  readonly prices: { currentPrices(): PriceList | null };
}

/**
 * Checks whether a Project can pay for a live page now, so that the platform is not contacted in
 * vain. Null when it can; the charge alone decides. The balance is checked before the spend cap, as
 * in the ledger.
 */
export async function checkFunds(
  { ledger, prices }: CheckFundsDeps,
  { accountId, projectId }: { readonly accountId: AccountId; readonly projectId: ProjectId },
): Promise<FundsRefusal | null> {
  const { asset, available, spend_cap: capped } = await ledger.readFunds(accountId, projectId);
  const required = prices.currentPrices()?.live_page ?? 0;
  if (available < required) {
    return { code: `insufficient_${asset}`, detail: { required, available } };
  }
  if (capped === null || capped.spent + required <= capped.cap) return null;
  const { cap, spent, resets_at } = capped;
  return { code: 'spend_cap_reached', detail: { cap, spent, resets_at } };
}
