import type { Answer } from '../http/route.ts';
import type { FetchedLivePage } from './live-page-client.ts';
import { chargedBill, type PageBill, replayBill } from './page-bill.ts';
import { denialReason, refuseDenied, refuseLive, refuseUnread } from './page-refusals.ts';
import type { LivePageRead } from './read-live-page.ts';

/** What both the current and the first version of a page are written from. */
export interface PageToWrite {
  readonly page: FetchedLivePage;
  readonly bill: PageBill;
}

const replayedHeader = { 'Idempotency-Replayed': 'true' };

/**
 * The answer to a read of the platform. Whatever is charged, a denial too, carries the duty to
 * say whether it was delivered; what fails before it is handed on is given up here.
 */
export async function liveAnswer(
  read: LivePageRead,
  priceVersion: number | null,
  write: (of: PageToWrite) => Promise<Pick<Answer, 'body'> & Partial<Answer>>,
): Promise<Answer> {
  if (read.result === 'free') throw refuseLive(read.answer);
  if (read.result !== 'charged' && read.result !== 'replayed') throw refuseUnread(read);
  const { page } = read;
  if (read.result === 'replayed') {
    const bill = replayBill(read.balance, priceVersion);
    if (page.found !== 'page') throw refuseDenied(page.found, bill, { headers: replayedHeader });
    const written = await write({ page, bill });
    return { status: 200, ...written, headers: { ...written.headers, ...replayedHeader } };
  }
  const { delivery, outcome } = read;
  const bill = chargedBill(outcome, denialReason(page.found));
  if (page.found !== 'page') throw refuseDenied(page.found, bill, { delivery });
  try {
    return { status: 200, ...(await write({ page, bill })), delivery };
  } catch (error) {
    delivery.abandoned();
    throw error;
  }
}
