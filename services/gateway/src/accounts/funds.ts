import type { AccountId } from '@inventory/contracts/ids';
import type { AccountFunds } from '@inventory/contracts/internal/ledger';
import type { PriceList } from '@inventory/contracts/messages/price-list';
import { type FundsRefusal, type Refusal, spendCapScopes } from '@inventory/contracts/refusal';
import type { ProductCode } from '@inventory/contracts/vocabulary';
import { isoTime } from '@inventory/runtime/clock';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { Payer } from './ledger-client.ts';

/** What a Project is about to pay, or hold. */
export interface Purchase extends Payer {
  readonly productCode: ProductCode;
  /** One where it is absent. */
  readonly pages?: number;
}

const priceNames = {
  'platform.inventory.refresh.v1': 'refreshReservation',
  'platform.inventory.watch.v1': 'refreshReservation',
  'platform.inventory.current.page.v1': 'currentPage',
  // Priced as a page of Current.
  'platform.inventory.changes.page.v1': 'currentPage',
  'platform.inventory.page.v1': 'livePage',
} as const satisfies Record<ProductCode, keyof PriceList>;

/** Credentials whose refusal is remembered; one that is forgotten costs one entry in the journal. */
const refusedMax = 10_000;
/** One purchase of an account in quarantine finds out whether it still is. */
const quarantineKnownMs = 30_000;

export type Funds = ReturnType<typeof createFunds>;

/**
 * Reads of the ledger that spare it commands which it would refuse: each would be an entry in its
 * journal. The commands alone decide.
 */
export function createFunds({
  ledger,
  prices,
}: {
  readonly ledger: { readFunds(buyer: Payer): Promise<AccountFunds> };
  readonly prices: { currentPrices(): PriceList | null };
}) {
  /** The least price that was refused, by account, Project and Credential, until it can be paid. */
  const refused = createRecentlyUsed<string, number>(refusedMax);
  const quarantined = createRecentlyUsed<AccountId, true>(refusedMax, { ttl: quarantineKnownMs });
  const keyOf = ({ accountId, projectId, credentialId }: Purchase) =>
    `${accountId} ${projectId} ${credentialId}`;
  const leastRefused = (purchase: Purchase) =>
    refused.get(keyOf(purchase)) ?? Number.POSITIVE_INFINITY;
  const requiredFor = ({ productCode, pages = 1 }: Purchase) =>
    pages * (prices.currentPrices()?.[priceNames[productCode]] ?? 0);

  /** The ledger refused the purchase. */
  function recordRefusal(purchase: Purchase): void {
    const least = Math.min(requiredFor(purchase), leastRefused(purchase));
    refused.set(keyOf(purchase), least);
  }

  /** What the purchase would be refused with now; null where it can be paid. */
  async function checkFunds(purchase: Purchase): Promise<FundsRefusal | null> {
    const required = requiredFor(purchase);
    const refusal = refusalOf(await ledger.readFunds(purchase), required);
    if (refusal !== null) recordRefusal(purchase);
    else if (required >= leastRefused(purchase)) refused.delete(keyOf(purchase));
    return refusal;
  }

  return {
    checkFunds,
    /**
     * The same where the latest such purchase by the Credential was refused. Null without a read for any
     * other one, and while the ledger is unavailable.
     */
    async recheckFunds(purchase: Purchase): Promise<FundsRefusal | null> {
      if (requiredFor(purchase) < leastRefused(purchase)) return null;
      return await checkFunds(purchase).catch(() => null);
    },
    recordRefusal,
    /** Whether the ledger decided nothing for the account a short time ago: it is in quarantine. */
    isQuarantined: (accountId: AccountId): boolean => quarantined.has(accountId),
    recordQuarantine: (accountId: AccountId): void => void quarantined.set(accountId, true),
  };
}

/** The balance is checked before the spend caps, the Project's before the Credential's, as in the ledger. */
function refusalOf(
  { asset, available, spendCap, credentialSpendCap }: AccountFunds,
  required: number,
): FundsRefusal | null {
  if (available < required) {
    return { code: `insufficient_${asset}`, detail: { required, available } };
  }
  const caps = { project: spendCap, credential: credentialSpendCap };
  for (const scope of spendCapScopes) {
    const capped = caps[scope];
    if (capped === null || capped.spent + required <= capped.cap) continue;
    const { cap, spent, resetsAtMs } = capped;
    const detail = { scope, cap, spent, resets_at: isoTime(resetsAtMs) };
    return { code: 'spend_cap_reached', detail };
  }
  return null;
}

export function isFundsRefusal(refusal: Refusal): refusal is FundsRefusal {
  switch (refusal.code) {
    case 'insufficient_credits':
    case 'insufficient_units':
    case 'spend_cap_reached':
      return true;
    default:
      return false;
  }
}
