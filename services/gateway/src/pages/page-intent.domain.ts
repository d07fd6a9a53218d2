import { accountId, credentialId, projectId, requestId } from '@inventory/contracts/ids';
import { pageProducts } from '@inventory/contracts/vocabulary';
import { z } from 'zod';

const requestedPage = z.object({
  requestId,
  accountId,
  projectId,
  /** Whose spend cap it counts against; null where an earlier version stored it. */
  credentialId: credentialId.nullable().default(null),
  productCode: z.enum(pageProducts),
  /** The chain of Live Pages of the page; null for any other page. */
  chainId: z.string().nullable(),
});
/** A page that may be charged: its account, Project and product. */
export type RequestedPage = Readonly<z.infer<typeof requestedPage>>;

/** The read of such a page, under its key. */
export const pageRead = requestedPage.extend({
  /** The stored id of its Idempotency-Key; null without one. */
  keyId: z.string().nullable(),
});
export type PageRead = Readonly<z.infer<typeof pageRead>>;

/**
 * The durable intent to reverse a charge unless its page is delivered. It is stored before the
 * charge is sent and deleted after the first body byte is written: after a crash in between the
 * page is free or the charge is reversed, and never a charge without a page.
 */
export interface PageIntent extends PageRead {
  /** No first byte of the page is written from then on. */
  readonly deadlineMs: number;
  /** From then on any replica reverses; later than the deadline by more than clocks differ. */
  readonly reverseAtMs: number;
}

export interface IntentTimes {
  readonly deliverWithinMs: number;
  readonly reverseAfterMs: number;
}

/** An operator lifts a quarantine; until then no reversal of its account is decided. */
export const quarantinePauseMs = 600_000;

/** Longest time until a reversal is due, again or for the first time. */
export function reversalWaitMaxMs({ deliverWithinMs, reverseAfterMs }: IntentTimes): number {
  return Math.max(deliverWithinMs + reverseAfterMs, quarantinePauseMs);
}

export function intentOf(read: PageRead, nowMs: number, limits: IntentTimes): PageIntent {
  const deadlineMs = nowMs + limits.deliverWithinMs;
  return { ...read, deadlineMs, reverseAtMs: deadlineMs + limits.reverseAfterMs };
}
