import type { CompletedScan } from '../domain/scan.ts';
import { type Contents, compareWithHead, type ScanComparison } from '../domain/scan-comparison.ts';
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
import type { Scanning } from './open-scanning.ts';
import { runYielding } from './run-yielding.ts';

export interface ReadScan {
  readonly scan: CompletedScan;
  readonly contents: Contents;
  readonly lease: ScopeLease;
}

/** What the surveyed pages of a scan say. */
export async function contentsOf(survey: Survey, signal: AbortSignal): Promise<Contents> {
  const digestOf = (lines: Lines) => runYielding(setDigest(lines), signal);
  const needed = neededDescriptions(survey);
  return {
    ownershipDigest: await digestOf(ownershipLines(survey)),
    textDigest: await digestOf(textLines(survey, needed)),
    rowsDigest: rowsDigest(survey),
    totalCount: totalCount(survey),
    totalAmount: String(totalAmount(survey)),
    descriptionCount: needed.size,
  };
}

/**
 * Compares a scan with the head that its lease protects. Ids are minted for this try alone: another
 * try of the same scan writes under other ids.
 */
export function compareScan(
  { identifiers, settings }: Scanning,
  { scan, contents, lease }: ReadScan,
): ScanComparison {
  const fresh = {
    revisionId: `invrev_${identifiers.uuidV7()}`,
    observationId: `invobs_${identifiers.uuidV7()}`,
    textSetId: identifiers.uuidV7(),
    rowSetId: identifiers.uuidV7(),
  } as const;
  const { source, sequence, language, scanWindow, reportedTotalCount } = scan;
  const findings = { source, sequence, language, scanWindow, reportedTotalCount, ...contents };
  return compareWithHead(findings, lease.head, fresh, settings.blockAssets);
}
