import { invariant } from '@inventory/runtime/bug';
import type { Answer } from '../http/answer.ts';
import type { FetchedLivePage } from './live-page-client.ts';
import { chargedBill, type PageBill, replayBill } from './page-bill.ts';
import type { LivePageRead } from './read-live-page.ts';
import { denialReason, refuseDenied, refusePage } from './refuse-page.ts';

/** What the responses of V2 and V1 are written from. */
export interface PageToWrite {
  readonly page: FetchedLivePage;
  readonly bill: PageBill;
}

const replayedHeader = { 'Idempotency-Replayed': 'true' };

/**
 * The response of a read of the platform. What is charged, a denial too, carries a delivery that
 * reports whether it was sent; a failure before that abandons the delivery here.
 */
export async function liveAnswer(
  read: LivePageRead,
  priceVersion: number | null,
  write: (of: PageToWrite) => Promise<Pick<Answer, 'body'> & Partial<Answer>>,
): Promise<Answer> {
  if (read.result === 'refused') throw refusePage(read.refusal);
  invariant(read.result !== 'free', 'a page of the platform is paid for');
  const { page } = read;
  if (read.result === 'replayed') {
    const bill = replayBill(read.balance, priceVersion);
    if (page.result === 'denied') {
      throw refuseDenied(page.refusal, bill, { headers: replayedHeader });
    }
    const written = await write({ page, bill });
    return { status: 200, ...written, headers: { ...written.headers, ...replayedHeader } };
  }
  const { delivery, outcome } = read;
  if (page.result === 'denied') {
    const bill = chargedBill(outcome, denialReason(page.refusal));
    throw refuseDenied(page.refusal, bill, { delivery });
  }
  try {
    const bill = chargedBill(outcome, null);
    return { status: 200, ...(await write({ page, bill })), delivery };
  } catch (error) {
    delivery.abandoned();
    throw error;
  }
}
