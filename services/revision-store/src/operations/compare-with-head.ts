import type { Identifiers } from '@inventory/runtime/identifiers';
import type { CompletedScan } from '../domain/scan.ts';
import { compareWithHead, type ScanComparison } from '../domain/scan-comparison.ts';
import { type Lines, setDigest } from '../domain/set-digest.ts';
import {
  neededDescriptions,
  ownershipLines,
  rowsDigest,
  type Survey,
  textLines,
  totalAmount,
  totalCount,
} from '../domain/survey.ts';
import type { ScopeLease } from '../storage/scope-store.ts';
import { inTurns } from './in-turns.ts';
import { sha256Text } from './sha256.ts';

export interface CompareScanDeps {
  readonly identifiers: Identifiers;
  readonly settings: { readonly blockAssets: number };
}

export interface SurveyedScan {
  readonly scan: CompletedScan;
  readonly survey: Survey;
  readonly lease: ScopeLease;
}

/**
 * Compares a surveyed scan with the head that its lease protects. Ids are minted for this try
 * alone: another try of the same scan writes under other ids.
 */
export async function compareScan(
  { identifiers, settings }: CompareScanDeps,
  { scan, survey, lease }: SurveyedScan,
  signal: AbortSignal,
): Promise<ScanComparison> {
  const digestOf = (lines: Lines) => inTurns(setDigest(lines, sha256Text), signal);
  const ownershipDigest = await digestOf(ownershipLines(survey));
  const textDigest = await digestOf(textLines(survey, neededDescriptions(survey)));
  const fresh = {
    revisionId: `invrev_${identifiers.uuidV7()}`,
    observationId: `invobs_${identifiers.uuidV7()}`,
    textSetId: identifiers.uuidV7(),
    rowSetId: identifiers.uuidV7(),
  } as const;
  const findings = {
    source: scan.source,
    sequence: scan.sequence,
    language: scan.language,
    window: scan.window,
    reportedTotalCount: scan.reportedTotalCount,
    ownershipDigest,
    textDigest,
    rowsDigest: rowsDigest(survey),
    totalCount: totalCount(survey),
    totalAmount: String(totalAmount(survey)),
  };
  return compareWithHead(findings, lease.head, fresh, settings.blockAssets);
}
