import type { LiveTrouble } from '@inventory/contracts/vocabulary';
import { unreachable } from '@inventory/runtime/bug';
import type { PageDelivery } from '../http/page-delivery.ts';
import { type Refusal, refuse, refuseForNow } from '../http/refusal.ts';
import type { KeyedRead } from './keyed-reads.ts';
import type { PageBill } from './page-bill.ts';
import type { FundsRefusal } from './page-charges.ts';
import { replaysMax } from './read-key.domain.ts';
import type { BillableLivePage, FreeLiveAnswer } from './read-live-page.ts';

const retryAfterSeconds = 1;

/** Every way in which a page read ends without a page and without its own kind of answer. */
export type Unread = Exclude<
  KeyedRead<unknown, unknown>,
  { result: 'charged' | 'replayed' | 'free' }
>;

export function refuseUnread(read: Unread): Refusal {
  switch (read.result) {
    case 'refused':
      return refuseFunds(read.refusal);
    case 'unavailable':
      return refuseForNow('billing_unavailable', retryAfterSeconds);
    case 'conflict':
      return refuse('idempotency_conflict');
    case 'exhausted':
      return refuse('idempotency_conflict', {
        detail: { reason: 'replays_exhausted', replays_max: replaysMax },
      });
    case 'in_progress':
      return refuseForNow('idempotency_in_progress', retryAfterSeconds);
    default:
      return unreachable(read);
  }
}

function refuseFunds({ code, required, available, limit }: FundsRefusal): Refusal {
  if (limit === null) return refuse(code, { detail: { required, available } });
  const { cap, spent, resetsAt } = limit;
  return refuse(code, { detail: { cap, spent, resets_at: resetsAt } });
}

/** Nothing was charged: what the platform or the ledger did not say in time. */
export function refuseLive(answer: FreeLiveAnswer): Refusal {
  switch (answer.found) {
    case 'no_funds':
      return refuseFunds(answer.refusal);
    case 'no_ledger':
      return refuseForNow('billing_unavailable', retryAfterSeconds);
    case 'client_gone':
      // Nobody reads this.
      return refuseForNow('service_unavailable', retryAfterSeconds);
    case 'trouble':
      return refuseUpstream(answer.trouble, answer.retryAfterSeconds);
    default:
      return unreachable(answer);
  }
}

function refuseUpstream(trouble: LiveTrouble, seconds: number): Refusal {
  const billing = { billing_disposition: 'not_charged' };
  if (trouble === 'timeout') return refuseForNow('upstream_timeout', seconds, { billing });
  return refuseForNow('upstream_unavailable', seconds, { detail: { reason: trouble }, billing });
}

/** A confirmed denial: an error that is charged, and so has to be delivered like a page. */
export function refuseDenied(
  denial: Exclude<BillableLivePage['found'], 'page'>,
  bill: PageBill,
  extras: { readonly delivery?: PageDelivery; readonly headers?: Record<string, string> },
): Refusal {
  const { billing_reason: reason, ...rest } = bill;
  const billing = reason === null ? rest : { ...rest, billing_reason: reason };
  const code = denial === 'private' ? 'inventory_private' : 'inventory_not_found';
  return refuse(code, { billing, ...extras });
}

/** What a confirmed denial says of its charge. */
export function denialReason(found: BillableLivePage['found']) {
  switch (found) {
    case 'private':
      return 'private_confirmed';
    case 'not_found':
      return 'not_found_confirmed';
    case 'page':
      return null;
  }
}
