import type { InventoryDenial, Refusal } from '@inventory/contracts/refusal';
import type { BillingReason } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import type { PageDelivery } from '../http/answer.ts';
import { BilledRefused } from '../http/billed-refused.ts';
import type { PageBill } from './page-bill.ts';

/** A page read that ends without a page and costs nothing. */
export function refusePage(refusal: Refusal): Refused {
  return refusal.code === 'inventory_revision_not_found'
    ? new BilledRefused(refusal, { billing: { billing_reason: 'no_revision' } })
    : new Refused(refusal);
}

/** A confirmed denial: an error that is charged, so it must be delivered like a page. */
export function refuseDenied(
  denial: InventoryDenial,
  bill: PageBill,
  extras: { readonly delivery?: PageDelivery; readonly headers?: Record<string, string> },
): Refused {
  return new BilledRefused(denial, { billing: { ...bill }, ...extras });
}

/** `billing_reason` of a confirmed denial. */
export function denialReason({ code }: InventoryDenial) {
  const reasons = {
    inventory_private: 'private_confirmed',
    inventory_not_found: 'not_found_confirmed',
  } as const satisfies Record<InventoryDenial['code'], BillingReason>;
  return reasons[code];
}
