import type { BalanceView } from '@inventory/contracts/internal/ledger';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { BillingReason } from '@inventory/contracts/vocabulary';
import type { KeyedRead } from './keyed-reads.ts';

/** The cost of a page read as in `meta`. */
export interface PageBill {
  readonly price_version?: number;
  readonly credits_charged: number;
  readonly credits_remaining: number;
  readonly billing_disposition: 'charged' | 'not_charged' | 'allowance_used';
  readonly billing_reason: BillingReason | null;
  readonly funding?: 'subscription';
  readonly units_charged?: number;
  readonly units_remaining?: number;
}

type DenialReason = Extract<BillingReason, 'private_confirmed' | 'not_found_confirmed'>;

/**
 * Of a page that was charged, or was paid before under its Idempotency-Key. `reason` is the
 * `billing_reason` of a denial that is charged; a page paid by credits needs none.
 */
export function billOf(
  read: Extract<KeyedRead<unknown>, { result: 'charged' | 'replayed' }>,
  priceVersion: number | null,
  reason: DenialReason | null = null,
): PageBill {
  return read.result === 'charged'
    ? chargedBill(read.outcome, reason)
    : freeBill(read.balance, priceVersion, 'idempotent_replay');
}

function chargedBill(outcome: BillingOutcome, reason: DenialReason | null): PageBill {
  const { asset, amountCharged: charged, balance, priceVersion } = outcome;
  const version = priceVersion === null ? {} : { price_version: priceVersion };
  if (asset === 'units') {
    return {
      ...version,
      credits_charged: 0,
      credits_remaining: outcome.creditsAvailable ?? 0,
      billing_disposition: 'allowance_used',
      billing_reason: reason ?? 'subscription_allowance',
      funding: 'subscription',
      units_charged: charged,
      units_remaining: balance.available,
    };
  }
  return {
    ...version,
    credits_charged: charged,
    credits_remaining: balance.available,
    billing_disposition: 'charged',
    billing_reason: reason,
  };
}

/** A page that costs nothing, and why. */
export function freeBill(
  balance: BalanceView,
  priceVersion: number | null,
  reason: Extract<BillingReason, 'idempotent_replay' | 'no_changes'>,
): PageBill {
  const available = (asset: 'credits' | 'units') =>
    balance.balances.find((of) => of.asset === asset)?.available ?? 0;
  const bill: PageBill = {
    ...(priceVersion === null ? {} : { price_version: priceVersion }),
    credits_charged: 0,
    credits_remaining: available('credits'),
    billing_disposition: 'not_charged',
    billing_reason: reason,
  };
  return balance.funding === 'subscription'
    ? { ...bill, funding: 'subscription', units_charged: 0, units_remaining: available('units') }
    : bill;
}
