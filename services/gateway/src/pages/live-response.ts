import { invariant } from '@inventory/runtime/bug';
import { BilledRefused } from '../http/billed-refused.ts';
import type { PublicResponse } from '../http/public-response.ts';
import type { FetchedLivePage } from './live-page-client.ts';
import { billOf } from './page-bill.ts';
import { type BilledPage, replayed, respondWithPage, type WrittenPage } from './page-response.ts';
import type { LivePageRead } from './read-live-page.ts';

/** What the responses of V2 and V1 are written from. */
export type PageToWrite = BilledPage<FetchedLivePage>;

/** The response of a read of the platform. A denial is charged too, and is thrown with its delivery. */
export async function respondWithLivePage(
  read: LivePageRead,
  priceVersion: number | null,
  write: (of: PageToWrite) => Promise<WrittenPage>,
): Promise<PublicResponse> {
  if (read.result === 'charged' || read.result === 'replayed') refuseIfDenied(read, priceVersion);
  return await respondWithPage(read, { priceVersion }, ({ page, bill }) => {
    invariant(page.result === 'page', 'a denial is refused before');
    return write({ page, bill });
  });
}

/** `billing_reason` of a confirmed denial. */
const reasons = {
  inventory_private: 'private_confirmed',
  inventory_not_found: 'not_found_confirmed',
} as const;

/** A confirmed denial is an error that is charged, so it must be delivered like a page. */
function refuseIfDenied(
  read: Extract<LivePageRead, { result: 'charged' | 'replayed' }>,
  priceVersion: number | null,
): void {
  const { page } = read;
  if (page.result !== 'denied') return;
  const bill = billOf(read, priceVersion, reasons[page.refusal.code]);
  if (read.result === 'charged') throw new BilledRefused(page.refusal, bill, read.delivery);
  throw new BilledRefused(page.refusal, bill, undefined, replayed);
}
