import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { Observation, Revision, ScanWindow, TextSets } from './observation.ts';
import type { ScanSource } from './scan.ts';

/** What an assembled scan found. */
export interface Findings {
  readonly source: ScanSource;
  readonly language: Language;
  readonly window: ScanWindow;
  readonly reportedTotalCount: number;
  readonly ownershipDigest: string;
  readonly textDigest: string;
  readonly totalCount: number;
  readonly totalAmount: string;
}

/** What is known of the inventory when a scan is compared with it. */
export interface Present {
  readonly head: Observation | null;
  /** When an operator last erased the inventory. */
  readonly erasedAtMs: number | null;
}

export interface FreshIds {
  readonly revisionId: RevisionId;
  readonly observationId: ObservationId;
  readonly textSetId: string;
}

export interface ScanComparison {
  /** The owned assets differ from the head's; a first revision is changed. */
  readonly changed: boolean;
  /**
   * `head`: it becomes what Current reads. `superseded`: something newer was observed already, so
   * it is kept only as long as superseded ones are. `erased`: it saw the inventory before an
   * operator erased it, so nothing of it is kept.
   */
  readonly place: 'head' | 'superseded' | 'erased';
  readonly observation: Observation;
  readonly writesAssets: boolean;
  readonly writesTexts: boolean;
}

/** Compares a scan with the head: the one place that decides changed, unchanged and superseded. */
export function compareWithHead(
  findings: Findings,
  present: Present,
  fresh: FreshIds,
  blockAssets: number,
): ScanComparison {
  const same = sameRevision(findings, present.head);
  const place = placeOf(findings, present);
  const known = same?.texts[findings.language];
  const reusesTexts = known?.digest === findings.textDigest;
  const textSet = reusesTexts ? known : { textSetId: fresh.textSetId, digest: findings.textDigest };
  const texts: TextSets = { ...same?.texts, [findings.language]: textSet };
  return {
    changed: same === null,
    place,
    observation: {
      observationId: fresh.observationId,
      revision: same?.revision ?? newRevision(findings, fresh.revisionId, blockAssets),
      language: findings.language,
      window: findings.window,
      reportedTotalCount: findings.reportedTotalCount,
      texts,
    },
    writesAssets: same === null && place !== 'erased',
    writesTexts: !reusesTexts && place !== 'erased',
  };
}

function sameRevision(findings: Findings, head: Observation | null): Observation | null {
  return head?.revision.ownershipDigest === findings.ownershipDigest ? head : null;
}

function placeOf(findings: Findings, { head, erasedAtMs }: Present): ScanComparison['place'] {
  const asOfMs = standsForMs(findings);
  if (erasedAtMs !== null && asOfMs <= erasedAtMs) return 'erased';
  if (head !== null && asOfMs < head.window.completedAtMs) return 'superseded';
  return 'head';
}

/**
 * The time of a scan in comparisons with other scans. For a capture it is the start: its pages may
 * be minutes apart, and any observation in between is newer than its first page.
 */
function standsForMs({ source, window }: Findings): number {
  return source === 'capture' ? window.startedAtMs : window.completedAtMs;
}

function newRevision(findings: Findings, revisionId: RevisionId, blockAssets: number): Revision {
  const { ownershipDigest, totalCount, totalAmount } = findings;
  return { revisionId, ownershipDigest, totalCount, totalAmount, blockAssets };
}
