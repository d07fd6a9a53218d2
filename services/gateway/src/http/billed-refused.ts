import type { Billing } from '@inventory/contracts/http/error-body';
import type { Refusal } from '@inventory/contracts/refusal';
import { Refused } from '@inventory/http/refused';
import type { PageDelivery } from './public-response.ts';

/** A refusal of a billed operation, with the outcome of its charge. */
export class BilledRefused extends Refused {
  override name = 'BilledRefused';
  /** Further fields of `meta`: disposition, reason, and what was charged. */
  readonly billing: Billing;
  /** Set where the refusal itself is charged: reports whether it was delivered. */
  readonly delivery: PageDelivery | undefined;

  constructor(
    refusal: Refusal,
    billing: Billing,
    delivery?: PageDelivery,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(refusal, { headers });
    this.billing = billing;
    this.delivery = delivery;
  }
}
