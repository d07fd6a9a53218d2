/**
 * A chain of Live Pages, from its first page on: all a cursor carries of it. Everything that has
 * to survive between two pages is here; no server keeps anything for a chain that only reads.
 */
export interface LiveChain {
  /** UUIDv7, minted with the first page; the id of the scan that a capture of it becomes. */
  readonly chainId: string;
  /** Before the platform was asked for the first page. */
  readonly startedAtMs: number;
  /** Number of the page that comes next; the first is 0. */
  readonly page: number;
  /** Where that page begins; null is the beginning of the inventory. */
  readonly startAssetid: string | null;
  /**
   * Digest of every page so far as it was staged, in order; null once the chain no longer
   * captures. A chain never begins to capture again.
   */
  readonly evidence: string | null;
}

/** One page as the revision-store has it: the chunks of its text, in order. */
export interface StagedPage {
  readonly page: number;
  readonly chunks: readonly { readonly digest: string; readonly bytes: number }[];
}

/** A page of a chain that was read. */
export interface LiveRead {
  /** Null when it was not staged, or not as it was staged before. */
  readonly staged: StagedPage | null;
  /** Where the page after it begins; null after the last. */
  readonly nextStartAssetid: string | null;
  readonly assetCount: number;
  /** Read again for an Idempotency-Key that was paid before. */
  readonly replayed: boolean;
  readonly nowMs: number;
}

export interface CaptureRules {
  /** From the chain's start; past it the chain goes on reading and no longer captures. */
  readonly chainDeadlineMs: number;
  /** What one scan may have. */
  readonly pagesMax: number;
}

/** A collision-resistant digest of a text. */
export type DigestOf = (text: string) => string;

export function openLiveChain(chainId: string, nowMs: number): LiveChain {
  return { chainId, startedAtMs: nowMs, page: 0, startAssetid: null, evidence: '' };
}

/** Whether the page that comes next still belongs to a capture, so that it has to be staged. */
export function isCapturing(chain: LiveChain, rules: CaptureRules, nowMs: number): boolean {
  const withinDeadline = nowMs - chain.startedAtMs <= rules.chainDeadlineMs;
  return chain.evidence !== null && withinDeadline && chain.page < rules.pagesMax;
}

/**
 * The chain after a page. Reading always goes on; capturing goes on only with a page that was
 * staged in its turn and in time, that is paid, and that leads further or is an end to be believed.
 * `staged` is of the page that was next.
 */
export function advanceLiveChain(
  chain: LiveChain,
  read: LiveRead,
  rules: CaptureRules,
  digestOf: DigestOf,
): LiveChain {
  const { staged, nextStartAssetid, assetCount, nowMs } = read;
  const inTurn = staged !== null && staged.page === chain.page;
  // What was paid for the key of a first page was the first page of another chain.
  const isPaid = !read.replayed || chain.page > 0;
  // The platform leads in circles when a page ends where it began.
  const leadsOn = nextStartAssetid === null || nextStartAssetid !== chain.startAssetid;
  // Behind a cursor whose asset is gone there may be more; a chain does not read its last page again.
  const endsBlank = nextStartAssetid === null && assetCount === 0 && chain.page > 0;
  const captures = isCapturing(chain, rules, nowMs) && inTurn && isPaid && leadsOn && !endsBlank;
  return {
    chainId: chain.chainId,
    startedAtMs: chain.startedAtMs,
    page: chain.page + 1,
    startAssetid: nextStartAssetid,
    evidence: captures ? linkOf(chain.evidence ?? '', staged, digestOf) : null,
  };
}

/** What a chain's evidence must be when it was made of exactly these pages. */
export function evidenceOf(pages: readonly StagedPage[], digestOf: DigestOf): string {
  return pages
    .toSorted((left, right) => left.page - right.page)
    .reduce((evidence, page) => linkOf(evidence, page, digestOf), '');
}

/** Number, digests and sizes, so that no two lists of pages share a text. */
function linkOf(evidence: string, { page, chunks }: StagedPage, digestOf: DigestOf): string {
  const named = chunks.map(({ digest, bytes }) => [digest, bytes]);
  return digestOf(JSON.stringify([evidence, page, named]));
}
