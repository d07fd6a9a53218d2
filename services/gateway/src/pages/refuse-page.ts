import type { InventoryDenial, Refusal, RefusalCode } from '@inventory/contracts/refusal';
import type { BillingReason } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { BilledRefused } from '../http/billed-refused.ts';
import type { PageDelivery } from '../http/page-delivery.ts';
import type { PageBill } from './page-bill.ts';

const notCharged = { billing_disposition: 'not_charged' } as const;
/** Billing fields of an error where there are more than `credits_charged: 0`. */
const billings: Partial<Record<RefusalCode, BilledRefused['billing']>> = {
  inventory_revision_not_found: { ...notCharged, billing_reason: 'no_revision' },
  upstream_timeout: notCharged,
  upstream_unavailable: notCharged,
};

/** A page read that ends without a page and costs nothing. */
export function refusePage(refusal: Refusal): Refused {
  const billing = billings[refusal.code];
  return billing ? new BilledRefused(refusal, { billing }) : new Refused(refusal);
}

/** A confirmed denial: an error that is charged, so it must be delivered like a page. */
export function refuseDenied(
  denial: InventoryDenial,
  bill: PageBill,
  extras: { readonly delivery?: PageDelivery; readonly headers?: Record<string, string> },
): Refused {
  const { billing_reason: reason, ...rest } = bill;
  const billing = reason === null ? rest : { ...rest, billing_reason: reason };
  return new BilledRefused(denial, { billing, ...extras });
}

/** `billing_reason` of a confirmed denial. */
export function denialReason({ code }: InventoryDenial) {
  const reasons = {
    inventory_private: 'private_confirmed',
    inventory_not_found: 'not_found_confirmed',
  } as const satisfies Record<InventoryDenial['code'], BillingReason>;
  return reasons[code];
}
