import { errorMeta } from '@inventory/contracts/http/error-body';
import { type Language, languageTags } from '@inventory/contracts/languages';
import type { Refusal } from '@inventory/contracts/refusal';
import type { ProductCode } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { z } from 'zod';
import { BilledRefused } from '../http/billed-refused.ts';
import type { AdmittedRequest, PublicResponse } from '../http/public-response.ts';
import type { KeyedRead } from './keyed-reads.ts';
import { billOf, type PageBill } from './page-bill.ts';

/** What the response of a page is written from. */
export interface BilledPage<Page> {
  readonly page: Page;
  readonly bill: PageBill;
}

export interface ResponseTerms {
  /** That of a page which is not charged now. */
  readonly priceVersion: number | null;
  /** Bill of a page that has nothing to pay for; absent where there is none. */
  readonly freeBill?: () => Promise<PageBill>;
}

/** What a route writes of a page. */
export interface WrittenPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PublicResponse['body'];
}

export const replayed = { 'Idempotency-Replayed': 'true' };

/**
 * The response of a page that is sold. What is charged carries a delivery that reports whether it was
 * sent; a failure before that abandons the delivery here.
 */
export async function respondWithPage<Page>(
  read: KeyedRead<Page>,
  { priceVersion, freeBill }: ResponseTerms,
  write: (of: BilledPage<Page>) => WrittenPage | Promise<WrittenPage>,
): Promise<PublicResponse> {
  if (read.result === 'refused') throw refusePage(read.refusal);
  const { page } = read;
  if (read.result === 'free') {
    invariant(freeBill !== undefined, 'this page is paid for');
    return { status: 200, ...(await write({ page, bill: await freeBill() })) };
  }
  const bill = billOf(read, priceVersion);
  if (read.result === 'replayed') {
    const written = await write({ page, bill });
    return { status: 200, ...written, headers: { ...written.headers, ...replayed } };
  }
  const { delivery } = read;
  try {
    return { status: 200, ...(await write({ page, bill })), delivery };
  } catch (error) {
    delivery.abandoned();
    throw error;
  }
}

/** A page read that ends without a page and costs nothing. */
export function refusePage(refusal: Refusal): Refused {
  return refusal.code === 'inventory_revision_not_found'
    ? new BilledRefused(refusal, { billingReason: 'no_revision' })
    : new Refused(refusal);
}

/** `meta` of a page; that of an error has the same fields, and may lack the price version as well. */
export function pageMeta(
  { requestId, environment, rateLimit }: AdmittedRequest,
  productCode: ProductCode,
  bill: PageBill,
) {
  return z.encode(errorMeta, { requestId, environment, productCode, ...bill, rateLimit });
}

/** The clock of the store may be ahead; no observation is of the future. */
export function ageSecondsOf(verifiedAtMs: number, clock: Clock): number {
  return Math.max(0, Math.floor((clock.now() - verifiedAtMs) / 1000));
}

export function toLanguageHeaders(language: Language): Record<string, string> {
  return { 'X-Description-Language': language, 'Content-Language': languageTags[language] };
}
