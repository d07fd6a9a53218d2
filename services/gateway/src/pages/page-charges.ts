import type { MessageBody } from '@inventory/contracts/messages';
import { type BillingOutcome, billingCommandId } from '@inventory/contracts/messages/billing';
import type { Refusal } from '@inventory/contracts/refusal';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { isFundsRefusal } from '../accounts/funds.ts';
import { type ReplyResult, replyOf } from '../commands/request-reply-client.ts';
import type { PageDelivery } from '../http/public-response.ts';
import { chargeWait, openIntents } from '../metrics.ts';
import type { IntentCloser } from './close-intents.ts';
import type { PageServices } from './open-pages.ts';
import { intentOf, type PageIntent, type PageRead } from './page-intent.domain.ts';

/** A page to be charged, or the reason why there is none, which is free. */
export type FetchedPage<Page> =
  /** `bytes` of its response; `pages` are charged, one where it is absent. */
  | {
      readonly result: 'page';
      readonly page: Page;
      readonly bytes: number;
      readonly pages?: number;
    }
  /** It has nothing that is paid for. */
  | { readonly result: 'free'; readonly page: Page }
  | { readonly result: 'refused'; readonly refusal: Refusal };

export type PaidRead<Page> =
  | {
      readonly result: 'charged';
      readonly page: Page;
      readonly outcome: BillingOutcome;
      readonly delivery: PageDelivery;
    }
  | { readonly result: 'free'; readonly page: Page }
  /** Nothing is charged, or the charge is reversed. */
  | { readonly result: 'refused'; readonly refusal: Refusal };

export interface CountedRead extends PageRead {
  /** Rejects where the request is refused for the rate: then nothing is charged. */
  readonly counted?: Promise<void>;
}

const unavailable = {
  result: 'refused',
  refusal: { code: 'billing_unavailable', retry_after_seconds: 1 },
} as const;

/**
 * Charges a page read, and reverses the charge of a page that is not delivered.
 * 0. Reads of an account that was found in quarantine are refused for half a minute.
 * 1. The request is counted, the intent stored, the page fetched, all at once. A crash leaves an intent, which a
 *    replica reverses; a charge that was never sent is then refused permanently.
 * 2. Once all have succeeded, the charge is sent and its outcome awaited; where the latest one was
 *    refused for lack of funds, they are read first.
 * 3. The page is returned with its delivery, on which the writer reports the result.
 */
export async function readCharged<Page>(
  services: PageServices,
  { counted, ...read }: CountedRead,
  fetch: () => Promise<FetchedPage<Page>>,
): Promise<PaidRead<Page>> {
  const { intents, closer, funds, clock, limits } = services;
  if (funds.isQuarantined(read.accountId)) return unavailable;
  const intent = intentOf(read, clock.now(), limits);
  openIntents.add(1);
  // Begun at once, for latency; the first of them that fails, in the order below, is the response.
  const stored = intents.insertIntent(intent);
  const page = fetch();
  await Promise.allSettled([counted, stored, page]);
  let fetched: FetchedPage<Page>;
  try {
    await counted;
    fetched = await page;
    if (fetched.result === 'page') await stored;
  } catch (error) {
    // No charge was sent. An intent whose insert failed may be stored.
    closer.closeUncharged(intent);
    throw error;
  }
  if (fetched.result === 'page') return await pay(services, intent, fetched);
  closer.closeUncharged(intent);
  return fetched;
}

async function pay<Page>(
  services: PageServices,
  intent: PageIntent,
  { page, pages = 1 }: Extract<FetchedPage<Page>, { result: 'page' }>,
): Promise<PaidRead<Page>> {
  const { closer, funds, logger } = services;
  const purchase = { ...intent, pages };
  const known = await funds.recheckFunds(purchase);
  if (known !== null) {
    closer.closeUncharged(intent);
    return { result: 'refused', refusal: known };
  }
  const reply = await charge(services, intent, pages).catch((error: unknown) => {
    closer.reverseCharge(intent);
    throw error;
  });
  if (reply.result !== 'reply') {
    if (reply.result === 'not_sent') closer.closeUncharged(intent);
    else closer.reverseCharge(intent);
    logger.warn({ requestId: intent.requestId, cause: reply.cause }, 'no billing outcome');
    return unavailable;
  }
  const { outcome } = reply.body;
  if (outcome === null) {
    // It may be decided once the quarantine is lifted, by a record that is delivered again.
    closer.reverseCharge(intent);
    funds.recordQuarantine(intent.accountId);
    logger.warn({ requestId: intent.requestId }, 'the account is in quarantine');
    return unavailable;
  }
  if (outcome.result === 'applied') {
    return { result: 'charged', page, outcome, delivery: deliveryOf(intent, closer) };
  }
  closer.closeUncharged(intent);
  const { refusal } = outcome;
  if (refusal !== null && isFundsRefusal(refusal)) {
    funds.recordRefusal(purchase);
    return { result: 'refused', refusal };
  }
  // A fault: the reversal came first, or an id was used twice.
  logger.error({ requestId: intent.requestId, refusal }, 'charge refused');
  return unavailable;
}

async function charge(
  { commands, clock, limits }: PageServices,
  intent: PageIntent,
  pages: number,
): Promise<ReplyResult<MessageBody<'reply.billing-outcome.v1'>>> {
  const startMs = monotonicNow();
  const timeLeftMs = intent.deadlineMs - clock.now();
  if (timeLeftMs <= 0) return { result: 'not_sent', cause: 'past the deadline' };
  const reply = await commands.request(
    chargeOf(intent, pages),
    replyOf('reply.billing-outcome.v1'),
    Math.min(limits.chargeTimeoutMs, timeLeftMs),
  );
  chargeWait.record(elapsedSince(startMs) / 1_000, { result: reply.result });
  return reply;
}

function chargeOf(intent: PageIntent, pageCount: number) {
  const { accountId, projectId, credentialId, requestId, productCode } = intent;
  const commandId = billingCommandId.charge(requestId);
  return {
    type: 'billing.charge.v1',
    id: commandId,
    waitingId: commandId,
    body: {
      commandId,
      accountId,
      projectId,
      credentialId,
      requestId,
      productCode,
      pageCount: pageCount === 1 ? null : pageCount,
    },
  } as const;
}

function deliveryOf(intent: PageIntent, closer: IntentCloser): PageDelivery {
  let open = true;
  const once = (end: (intent: PageIntent) => void) => () => {
    if (!open) return;
    open = false;
    end(intent);
  };
  return {
    deadlineMs: intent.deadlineMs,
    delivered: once(closer.recordDelivery),
    abandoned: once(closer.reverseCharge),
  };
}
