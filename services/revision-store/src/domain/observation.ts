import { observationId, revisionId } from '@inventory/contracts/ids';
import { type Language, language } from '@inventory/contracts/languages';
import { type ScanWindow, scanSource, scanWindow } from '@inventory/contracts/messages/revision';
import { z } from 'zod';
import { chainPosition, changeSet } from './change-chain.ts';

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
const revision = z.object({
  revisionId,
  /** Of the set of owned assets: two revisions of an inventory with one digest are the same. */
  ownershipDigest: z.string(),
  totalCount: z.int(),
  /** Decimal digits. */
  totalAmount: z.string(),
  /** Different descriptions that its assets need; null where an earlier version saved it. */
  descriptionCount: z.int().nullable().default(null),
  /** Assets in each block but the last. */
  blockAssets: z.int(),
  /** Its position among the heads; null for one that never was the head. */
  chain: chainPosition.nullable(),
  /** The change sets that end at it: from the head before it, and merged ones. */
  joins: z.array(changeSet).readonly(),
});
export type Revision = Readonly<z.infer<typeof revision>>;

/** The descriptions of a revision in one language, and its rows, as one scan read them. */
const textSet = z.object({
  textSetId: z.string(),
  digest: z.string(),
  /** The set with the rows; null where they are those of the revision itself. */
  rowSetId: z.string().nullable(),
  rowsDigest: z.string(),
});
export type TextSet = Readonly<z.infer<typeof textSet>>;

const textSets = z.partialRecord(language, textSet);
export type TextSets = Readonly<z.infer<typeof textSets>>;

/**
 * That a complete scan saw this revision, and with which texts. A page chain pins one, so
 * everything a page needs hangs on it and nothing of it ever changes.
 */
export const observation = z.object({
  observationId,
  revision,
  source: scanSource,
  /** The newest scan that it does not precede: its own, or one before a capture; null where captures alone were saved. */
  sequence: z.int().nullable(),
  /** When the last scan of a refresh ended that was saved, superseded ones included; null where none was. */
  scannedUntilMs: z.number().nullable(),
  /** The language of the scan. */
  language,
  scanWindow: scanWindow.out,
  reportedTotalCount: z.int(),
  texts: textSets,
});
export type Observation = Readonly<z.infer<typeof observation>>;

/** The texts for a language: its own, else those of the observation's scan. */
export function textsFor(
  { texts, language: ofScan }: Observation,
  wanted: Language,
): { readonly language: Language; readonly textSet: TextSet | undefined } {
  const given = texts[wanted] ? wanted : ofScan;
  return { language: given, textSet: texts[given] };
}

/** As if its scan had been so much earlier. Which scan comes after which does not change. */
export function agedBy(of: Observation, byMs: number): Observation {
  const { startedAtMs, completedAtMs } = of.scanWindow;
  const scanWindow = { startedAtMs: startedAtMs - byMs, completedAtMs: completedAtMs - byMs };
  return { ...of, scanWindow };
}
