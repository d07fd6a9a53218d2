import {
  type ManifestPage,
  revisionScanAbandoned,
  revisionScanCompleted,
  scanResult,
} from '@inventory/contracts/messages/revision';
import type { z } from 'zod';

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

/** A decided scan: its outcome is published again for every duplicate command. */
export const decidedScan = revisionScanAbandoned.out.extend({ result: scanResult });
export type DecidedScan = Readonly<z.infer<typeof decidedScan>>;

/** The content of a completed scan; whose it is, is not kept. */
export const completedScan = revisionScanCompleted.out.omit({ accountId: true });
export type CompletedScan = Readonly<z.infer<typeof completedScan>>;

/**
 * The manifest's pages in the order of the scan, or null when they cannot be a whole scan: a page
 * named twice, or made of nothing. Numbers may be left out: of a page that was read again only the
 * later one is named.
 */
export function wholeScanPages(
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
