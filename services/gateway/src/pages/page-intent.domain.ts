import type { AccountId, ProjectId, RequestId } from '@inventory/contracts/ids';
import type { ProductCode } from '@inventory/contracts/vocabulary';

/** A page read that may be charged: who reads, for which Project, and what. */
export interface PageRead {
  readonly requestId: RequestId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly productCode: ProductCode;
  /** The chain of Live Pages that the page is of; null for any other page. */
  readonly chainId: string | null;
  /** The Idempotency-Key under which it is read, as it is stored; null without one. */
  readonly keyId: string | null;
}

/**
 * The promise to undo a charge unless its page is delivered. It is stored before the charge is
 * sent and deleted after the first body byte is written: a crash in between gives the page away
 * or reverses the charge, and never keeps a charge without a page.
 */
export interface PageIntent extends PageRead {
  /** No first byte of the page is written from here on. */
  readonly deadlineMs: number;
  /** From here on any replica reverses; far enough past the deadline for clocks that differ. */
  readonly reverseAtMs: number;
}

export function intentOf(
  read: PageRead,
  nowMs: number,
  limits: { readonly deliverWithinMs: number; readonly reverseAfterMs: number },
): PageIntent {
  const deadlineMs = nowMs + limits.deliverWithinMs;
  return { ...read, deadlineMs, reverseAtMs: deadlineMs + limits.reverseAfterMs };
}
