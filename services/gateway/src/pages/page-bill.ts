import type { Billing } from '@inventory/contracts/http/error-body';
import type { BalanceView } from '@inventory/contracts/internal/ledger';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { BillingReason } from '@inventory/contracts/vocabulary';
import type { KeyedRead } from './keyed-reads.ts';

/** The cost of a page read as in `meta`. */
export interface PageBill extends Billing {
  readonly creditsCharged: number;
  readonly creditsRemaining: number;
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
  const version = priceVersion === null ? {} : { priceVersion };
  if (asset === 'units') {
    return {
      ...version,
      creditsCharged: 0,
      creditsRemaining: outcome.creditsAvailable ?? 0,
      billingDisposition: 'allowance_used',
      billingReason: reason ?? 'subscription_allowance',
      funding: 'subscription',
      unitsCharged: charged,
      unitsRemaining: balance.available,
    };
  }
  return {
    ...version,
    creditsCharged: charged,
    creditsRemaining: balance.available,
    billingDisposition: 'charged',
    billingReason: reason,
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
    ...(priceVersion !== null && { priceVersion }),
    creditsCharged: 0,
    creditsRemaining: available('credits'),
    billingDisposition: 'not_charged',
    billingReason: reason,
  };
  return balance.funding === 'subscription'
    ? { ...bill, funding: 'subscription', unitsCharged: 0, unitsRemaining: available('units') }
    : bill;
}
