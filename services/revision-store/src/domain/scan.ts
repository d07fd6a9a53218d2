import type { ObservationId, RefreshId, RevisionId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { ScanSource, ScanWindow } from './observation.ts';

/**
 * A scan as this service sees it. `unknown` has no record; `received` waits for its assembly;
 * from `committing` on it can no longer be abandoned; the last two are final.
 */
export type ScanRecordState = 'unknown' | 'received' | 'committing' | 'committed' | 'rejected';

export type ScanFact =
  | 'completed'
  | 'abandoned'
  | 'pages_missing'
  | 'pages_invalid'
  | 'given_up'
  | 'assembled'
  | 'head_moved';

/** The transitions of each fact. Any other is refused: the scan was decided earlier. */
const transitions = {
  completed: { from: ['unknown'], to: 'received' },
  abandoned: { from: ['unknown', 'received'], to: 'rejected' },
  // Under the inventory's lease alone: it keeps a commit that has begun from moving the head.
  pages_missing: { from: ['received', 'committing'], to: 'rejected' },
  pages_invalid: { from: ['received', 'committing'], to: 'rejected' },
  given_up: { from: ['received', 'committing'], to: 'rejected' },
  // A worker that takes over a scan in `committing` assembles it again.
  assembled: { from: ['received', 'committing'], to: 'committing' },
  head_moved: { from: ['committing'], to: 'committed' },
} as const satisfies Record<ScanFact, { from: readonly ScanRecordState[]; to: ScanRecordState }>;

/** The state after a fact, or `refused` when the scan has been decided otherwise. */
export function advanceScan(state: ScanRecordState, fact: ScanFact): ScanRecordState | 'refused' {
  const { from, to } = transitions[fact];
  return (from as readonly ScanRecordState[]).includes(state) ? to : 'refused';
}

/** What a compare-and-set for this fact must find. */
export function statesBefore(fact: ScanFact): readonly ScanRecordState[] {
  return transitions[fact].from;
}

export function stateAfter(fact: ScanFact): ScanRecordState {
  return transitions[fact].to;
}

export type ScanRejectionReason = 'abandoned' | 'missing_pages' | 'invalid_pages';

export type ScanResult =
  | {
      readonly result: 'committed';
      readonly revisionId: RevisionId;
      /** The head that it replaced; null where it is the first, the same, or never was the head. */
      readonly previousRevisionId: RevisionId | null;
      readonly observationId: ObservationId;
      readonly changed: boolean;
      readonly observedAssets: number;
    }
  | { readonly result: 'rejected'; readonly reason: ScanRejectionReason };

/** A decided scan: its outcome is published again for every duplicate command. */
export interface DecidedScan {
  readonly scanId: string;
  readonly refreshId: RefreshId | null;
  readonly result: ScanResult;
}

export interface ManifestPage {
  readonly page: number;
  readonly epoch: number;
  readonly chunks: readonly { readonly digest: string; readonly bytes: number }[];
}

/** The content of a completed scan. */
export interface CompletedScan {
  readonly scanId: string;
  readonly refreshId: RefreshId | null;
  readonly source: ScanSource;
  readonly scope: InventoryKey;
  readonly language: Language;
  /** Its place among the scans of its inventory; null for a capture. */
  readonly sequence: number | null;
  readonly window: ScanWindow;
  readonly reportedTotalCount: number;
  readonly pages: readonly ManifestPage[];
}

/**
 * The manifest's pages in the order of the scan, or null when they cannot be a whole scan: a page
 * named twice, or made of nothing. Numbers may be left out: of a page that was read again only the
 * later one is named.
 */
export function pagesInOrder(
  pages: readonly ManifestPage[],
  pageChunksMax: number,
): readonly ManifestPage[] | null {
  const ordered = pages.toSorted((left, right) => left.page - right.page);
  const whole = ordered.every(
    ({ page, chunks }, index) =>
      page !== ordered[index - 1]?.page && chunks.length > 0 && chunks.length <= pageChunksMax,
  );
  return whole ? ordered : null;
}
