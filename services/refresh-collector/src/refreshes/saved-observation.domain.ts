import type { RevisionId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { Refresh } from './refresh.domain.ts';
import type { Fact } from './refresh-fact.domain.ts';

/** What Current reads of an inventory: the observation of a scan or of a capture. */
export interface SavedObservation {
  readonly revisionId: RevisionId;
  readonly verifiedAtMs: number;
  /** Of its scan. */
  readonly language: Language;
  readonly observedAssets: number;
  /** Whether its scan is the one that changed the revision. */
  readonly changed: boolean;
  /** The revision that it then replaced. */
  readonly previousRevisionId: RevisionId | null;
}

/**
 * Whether a refresh may take an observation instead of a scan. One in another language is of no use:
 * its texts and properties in the language of the refresh may be older, or missing.
 */
export function mayTake(
  refresh: Pick<Refresh, 'maxAgeSeconds' | 'language'>,
  observation: SavedObservation,
  nowMs: number,
): boolean {
  if (refresh.maxAgeSeconds === null || refresh.language !== observation.language) return false;
  return nowMs - observation.verifiedAtMs <= refresh.maxAgeSeconds * 1_000;
}

/** The end of a queued refresh that takes it. */
export function observedBy({ language: _, ...observed }: SavedObservation): Fact {
  return { fact: 'observed', ...observed };
}
