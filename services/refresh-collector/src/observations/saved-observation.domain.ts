import type { Language } from '@inventory/contracts/languages';
import type { SavedObservation } from '@inventory/contracts/messages/revision';
import type { Fact } from '../saga/refresh-fact.domain.ts';

/** What a refresh says of the observation that it would take; `freshness` is null where it takes none. */
export interface AcceptedObservation {
  readonly language: Language;
  readonly freshness: { readonly maxAgeSeconds: number } | null;
}

/**
 * Whether a refresh may take an observation instead of a scan. One in another language is of no use:
 * its texts and properties in the language of the refresh may be older, or missing.
 */
export function mayTake(
  { freshness, language }: AcceptedObservation,
  observation: SavedObservation,
  nowMs: number,
): boolean {
  if (freshness === null || language !== observation.language) return false;
  return nowMs - observation.verifiedAtMs <= freshness.maxAgeSeconds * 1_000;
}

/** The end of a queued refresh that takes it. */
export function observedBy(observation: SavedObservation): Fact {
  return { fact: 'observed', ...observation };
}
