import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { ScanSource, ScanWindow } from '@inventory/contracts/messages/revision';
import type { ChainPlace, ChangeSet } from './change-chain.ts';

/** An inventory between two erasures: what was read under an older epoch is never saved. */
export interface InventoryEpoch {
  readonly scope: string;
  readonly epoch: number;
}

/**
 * A scan's window, no later than its receipt. Windows come from other machines' clocks: one that is
 * fast would make its observation newer than those that follow it.
 */
export function windowAtReceipt(window: ScanWindow, receivedAtMs: number): ScanWindow {
  return {
    startedAtMs: Math.min(window.startedAtMs, receivedAtMs),
    completedAtMs: Math.min(window.completedAtMs, receivedAtMs),
  };
}

/** An immutable set of owned assets in the platform's order. */
export interface Revision {
  readonly revisionId: RevisionId;
  /** Of the set of owned assets: two revisions of an inventory with one digest are the same. */
  readonly ownershipDigest: string;
  readonly totalCount: number;
  /** Decimal digits. */
  readonly totalAmount: string;
  /** Assets in each block but the last. */
  readonly blockAssets: number;
  /** Its place among the heads; null for one that never was the head. */
  readonly chain: ChainPlace | null;
  /** The change sets that end at it: from the head before it, and merged ones. */
  readonly joins: readonly ChangeSet[];
}

/** The descriptions of a revision in one language, and its rows, as one scan read them. */
export interface TextSet {
  readonly textSetId: string;
  readonly digest: string;
  /** The set with the rows; null where they are those of the revision itself. */
  readonly rowSetId: string | null;
  readonly rowsDigest: string;
}

export type TextSets = Readonly<Partial<Record<Language, TextSet>>>;

/**
 * That a complete scan saw this revision, and with which texts. A page chain pins one, so
 * everything a page needs hangs on it and nothing of it ever changes.
 */
export interface Observation {
  readonly observationId: ObservationId;
  readonly revision: Revision;
  readonly source: ScanSource;
  /** The newest scan that it does not precede: its own, or one before a capture; null where captures alone were saved. */
  readonly sequence: number | null;
  /** When the last scan of a refresh ended that was saved, superseded ones included; null where none was. */
  readonly scannedUntilMs: number | null;
  /** The language of the scan. */
  readonly language: Language;
  readonly scanWindow: ScanWindow;
  readonly reportedTotalCount: number;
  readonly texts: TextSets;
}

/** The texts for a language: its own, else those of the observation's scan. */
export function textsFor(
  observation: Observation,
  wanted: Language,
): { readonly language: Language; readonly textSet: TextSet | undefined } {
  const language = observation.texts[wanted] ? wanted : observation.language;
  return { language, textSet: observation.texts[language] };
}
