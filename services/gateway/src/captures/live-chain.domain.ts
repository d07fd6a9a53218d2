import type { ManifestPage } from '@inventory/contracts/messages/revision';
import type { EndCheckResult } from '@inventory/contracts/vocabulary';

/**
 * A chain of Live Pages: the state that a cursor carries from page to page. No server stores
 * anything for a chain that is only read.
 */
export interface LiveChain {
  /** UUIDv7, generated with the first page; the id of the scan that a capture becomes. */
  readonly chainId: string;
  /** Before the first page was requested from the platform. */
  readonly startedAtMs: number;
  /** Number of the next page; the first is 0. */
  readonly page: number;
  /** Start of that page; null for the start of the inventory. */
  readonly startAssetid: string | null;
  /** Start of the page before it; null for the start of the inventory, and for the first page. */
  readonly previousStartAssetid: string | null;
  /** Numbers of pages that were read again because their end moved: the next page replaces it. */
  readonly replaced: readonly number[];
  /**
   * Digest of all pages as staged, in order; null once the chain no longer captures, which is
   * final.
   */
  readonly evidence: string | null;
}

/** A page of a chain that was read. */
export interface LiveRead {
  /** Null when it was not staged, or was staged before with other contents. */
  readonly staged: ManifestPage | null;
  /** Start of the page after it; null after the last. */
  readonly nextStartAssetid: string | null;
  readonly assetCount: number;
  /** Of a last page without assets; null where there was nothing to check, or the check failed. */
  readonly endCheck: EndCheckResult | null;
  /** A replay for an Idempotency-Key that was paid before. */
  readonly replayed: boolean;
  readonly nowMs: number;
}

export interface CaptureRules {
  /** Age of the chain past which it is only read and no longer captured. */
  readonly chainDeadlineMs: number;
  /** Largest number of pages of a scan. */
  readonly pagesMax: number;
}

/** Moved ends of one chain: beyond them its end is not believed. */
const replacedMax = 5;

/** A collision-resistant digest of a text. */
export type DigestOf = (text: string) => string;

export function openLiveChain(chainId: string, nowMs: number): LiveChain {
  const start = { page: 0, startAssetid: null, previousStartAssetid: null };
  return { chainId, startedAtMs: nowMs, ...start, replaced: [], evidence: '' };
}

/** The chain, only read from now on: no page after it captures again. */
export function withoutCapture(chain: LiveChain): LiveChain {
  return { ...chain, evidence: null };
}

/** Whether the next page still belongs to a capture and has to be staged. */
export function isCapturing(chain: LiveChain, rules: CaptureRules, nowMs: number): boolean {
  const withinDeadline = nowMs - chain.startedAtMs <= rules.chainDeadlineMs;
  return chain.evidence !== null && withinDeadline && chain.page < rules.pagesMax;
}

/**
 * Start of the page that a last page without assets is checked against, null for the start of the
 * inventory; undefined when the chain needs no check.
 */
export function endCheckStart(
  chain: LiveChain,
  rules: CaptureRules,
  nowMs: number,
): string | null | undefined {
  const isChecked = chain.page > 0 && chain.replaced.length < replacedMax;
  return isChecked && isCapturing(chain, rules, nowMs) ? chain.previousStartAssetid : undefined;
}

/**
 * The chain after a page. Reading always continues; capturing continues only with a page that was
 * staged in order and in time, that is paid, and that leads on or is a plausible end. `staged` is
 * the next page of the chain.
 */
export function advanceLiveChain(
  chain: LiveChain,
  read: LiveRead,
  rules: CaptureRules,
  digestOf: DigestOf,
): LiveChain {
  const { staged, nextStartAssetid, assetCount, endCheck, nowMs } = read;
  const isNextPage = staged !== null && staged.page === chain.page;
  // The paid first page of the key belongs to another chain.
  const isPaid = !read.replayed || chain.page > 0;
  // A page that continues at its own start would be read without end.
  const leadsOn = nextStartAssetid === null || nextStartAssetid !== chain.startAssetid;
  // After a cursor whose asset was removed there may be more.
  const endsBlank =
    nextStartAssetid === null && assetCount === 0 && chain.page > 0 && endCheck !== 'confirmed';
  const hasMoved = endCheck === 'moved';
  const captures =
    isCapturing(chain, rules, nowMs) && isNextPage && isPaid && leadsOn && !endsBlank;
  return {
    chainId: chain.chainId,
    startedAtMs: chain.startedAtMs,
    page: chain.page + 1,
    startAssetid: nextStartAssetid,
    previousStartAssetid: hasMoved ? chain.previousStartAssetid : chain.startAssetid,
    replaced: hasMoved ? [...chain.replaced, chain.page - 1] : chain.replaced,
    evidence: captures ? linkOf(chain.evidence ?? '', staged, digestOf) : null,
  };
}

/** The digest of a chain of exactly these pages. */
export function evidenceOf(pages: readonly ManifestPage[], digestOf: DigestOf): string {
  return pages
    .toSorted((left, right) => left.page - right.page)
    .reduce((evidence, page) => linkOf(evidence, page, digestOf), '');
}

/** Number, digests and sizes, so that no two lists of pages share a text. */
function linkOf(evidence: string, { page, chunks }: ManifestPage, digestOf: DigestOf): string {
  const named = chunks.map(({ digest, bytes }) => [digest, bytes]);
  return digestOf(JSON.stringify([evidence, page, named]));
}
