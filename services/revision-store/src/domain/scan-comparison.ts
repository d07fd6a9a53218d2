import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { ScanSource, ScanWindow } from '@inventory/contracts/messages/revision';
import type { ChainPosition, ChangeSet } from './change-chain.ts';
import type { Observation, Revision, TextSets } from './observation.ts';

/** What the pages of a scan say, whoever read them and when. */
export interface Contents {
  readonly ownershipDigest: string;
  readonly textDigest: string;
  readonly rowsDigest: string;
  readonly totalCount: number;
  readonly totalAmount: string;
  readonly descriptionCount: number;
}

/** What an assembled scan found. */
export interface Findings extends Contents {
  readonly source: ScanSource;
  readonly sequence: number | null;
  readonly language: Language;
  readonly scanWindow: ScanWindow;
  readonly reportedTotalCount: number;
}

export interface FreshIds {
  readonly revisionId: RevisionId;
  readonly observationId: ObservationId;
  readonly textSetId: string;
  readonly rowSetId: string;
}

export interface ScanComparison {
  /** The owned assets differ from the head's; a first revision is changed. */
  readonly changed: boolean;
  /**
   * `head`: it becomes what Current reads. `superseded`: something newer was observed already, so
   * it is kept only as long as superseded ones are.
   */
  readonly becomes: 'head' | 'superseded';
  readonly observation: Observation;
  /** The head from then on. */
  readonly head: Observation;
  readonly writesAssets: boolean;
  readonly writesTexts: boolean;
  /** Of an unchanged revision: the rows themselves differ from all that are known of it. */
  readonly writesRows: boolean;
}

/** Nothing of the pages is needed that the head does not have. */
export function writesNothing({ writesAssets, writesTexts, writesRows }: ScanComparison): boolean {
  return !writesAssets && !writesTexts && !writesRows;
}

/** Compares a scan with the head: the one function that decides changed, unchanged and superseded. */
export function compareWithHead(
  findings: Findings,
  present: Observation | null,
  fresh: FreshIds,
  blockAssets: number,
): ScanComparison {
  const same = present?.revision.ownershipDigest === findings.ownershipDigest ? present : null;
  const becomes = present !== null && precedes(findings, present) ? 'superseded' : 'head';
  const known = same?.texts[findings.language];
  const reusesTexts = known?.digest === findings.textDigest;
  const rows = rowsOf(findings, same, fresh);
  const textSet = {
    textSetId: reusesTexts ? known.textSetId : fresh.textSetId,
    digest: findings.textDigest,
    ...rows,
  };
  const texts: TextSets = { ...same?.texts, [findings.language]: textSet };
  const after = becomes === 'head' ? present : null;
  const chain = becomes === 'head' ? positionAfter(present, fresh.revisionId) : null;
  const observation: Observation = {
    observationId: fresh.observationId,
    revision: same?.revision ?? newRevision(findings, fresh, blockAssets, chain),
    source: findings.source,
    ...orderOf(findings, after),
    language: findings.language,
    scanWindow: windowAfter(findings.scanWindow, after),
    reportedTotalCount: findings.reportedTotalCount,
    texts,
  };
  return {
    changed: same === null,
    becomes,
    observation,
    // One that is superseded at once still orders those that are saved after it.
    head:
      becomes === 'head' || !present ? observation : { ...present, ...orderOf(findings, present) },
    writesAssets: same === null,
    writesTexts: !reusesTexts,
    writesRows: rows.rowSetId === fresh.rowSetId,
  };
}

/** Rows of a language may be those of another one, or of the scan that found the revision. */
function rowsOf({ rowsDigest }: Findings, same: Observation | null, fresh: FreshIds) {
  if (same === null) return { rowSetId: null, rowsDigest };
  const known = Object.values(same.texts).find((texts) => texts.rowsDigest === rowsDigest);
  return { rowSetId: known ? known.rowSetId : fresh.rowSetId, rowsDigest };
}

/**
 * Scans of refreshes are ordered by cause: the one that was started earlier precedes the other,
 * whatever clocks say. A capture has no position among them: it precedes what was observed since its
 * chain began, whichever of the two is saved first. Of two captures the later chain is newer.
 */
function precedes({ source, sequence, scanWindow }: Findings, head: Observation): boolean {
  const chainBeganMs = head.source === 'capture' ? head.scanWindow.startedAtMs : null;
  if (source === 'capture') {
    return scanWindow.startedAtMs < (newest(head.scannedUntilMs, chainBeganMs) ?? 0);
  }
  if (chainBeganMs !== null) return scanWindow.completedAtMs <= chainBeganMs;
  const isSequenced = sequence !== null && head.sequence !== null;
  return isSequenced
    ? sequence < head.sequence
    : scanWindow.completedAtMs < head.scanWindow.completedAtMs;
}

interface Order {
  readonly sequence: number | null;
  readonly scannedUntilMs: number | null;
}

/** What the next scans are compared with, once this one is saved. */
function orderOf({ source, sequence, scanWindow }: Findings, head: Order | null): Order {
  const endedAtMs = source === 'refresh' ? scanWindow.completedAtMs : null;
  return {
    sequence: newest(sequence, head?.sequence ?? null),
    scannedUntilMs: newest(endedAtMs, head?.scannedUntilMs ?? null),
  };
}

function newest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** What follows an observation is verified no earlier, whatever clocks say. */
function windowAfter(window: ScanWindow, head: Observation | null): ScanWindow {
  const completedAtMs = Math.max(window.completedAtMs, head?.scanWindow.completedAtMs ?? 0);
  return { ...window, completedAtMs };
}

function newRevision(
  { ownershipDigest, totalCount, totalAmount, descriptionCount }: Findings,
  { revisionId }: FreshIds,
  blockAssets: number,
  chain: ChainPosition | null,
): Revision {
  const counts = { totalCount, totalAmount, descriptionCount };
  return { revisionId, ownershipDigest, ...counts, blockAssets, chain, joins: [] };
}

/** Without a head a chain begins. */
function positionAfter(head: Observation | null, revisionId: RevisionId): ChainPosition {
  const before = head?.revision.chain;
  return before
    ? { root: before.root, ordinal: before.ordinal + 1 }
    : { root: revisionId, ordinal: 0 };
}

/** The comparison with the change sets that end at its new revision. */
export function withJoins(comparison: ScanComparison, joins: readonly ChangeSet[]): ScanComparison {
  const join = (observation: Observation): Observation => ({
    ...observation,
    revision: { ...observation.revision, joins },
  });
  const { observation, head } = comparison;
  const joined = join(observation);
  return { ...comparison, observation: joined, head: head === observation ? joined : head };
}
