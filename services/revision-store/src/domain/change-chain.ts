import { type RevisionId, revisionId } from '@inventory/contracts/ids';
import { changeCounts } from '@inventory/contracts/messages/revision';
import { z } from 'zod';

/** The position of a revision among those that were the head one after another, since the first. */
export const chainPosition = z.object({ root: revisionId, ordinal: z.int() });
export type ChainPosition = Readonly<z.infer<typeof chainPosition>>;

/** What differs between two revisions; its blocks are stored under `setId`. */
export const changeSet = z.object({
  setId: z.string(),
  from: revisionId,
  to: revisionId,
  /** Null for a revision that never was the head. */
  fromOrdinal: z.int().nullable(),
  toOrdinal: z.int(),
  counts: changeCounts,
  /** The key of its last change; '' where there is none. */
  lastKey: z.string(),
});
export type ChangeSet = Readonly<z.infer<typeof changeSet>>;

/** The steps between two positions of a chain: `[from, to]`, ordinals. */
export type ChainSpan = readonly [number, number];

/** So many change sets of one length are merged into one of the next. */
const mergedSets = 8;

/**
 * The spans whose change sets lead from one position to another: the longest there are. A merged
 * set spans a power of eight and begins at a multiple of its length, so that a month of changes every
 * five minutes is at most 58 spans.
 */
export function spansBetween(from: number, to: number): ChainSpan[] {
  const spans: ChainSpan[] = [];
  for (let at = from; at < to; ) {
    let length = 1;
    while (at % (length * mergedSets) === 0 && at + length * mergedSets <= to) {
      length *= mergedSets;
    }
    spans.push([at, at + length]);
    at += length;
  }
  return spans;
}

/** The merged sets that end at a position, shortest first: the spans that each is merged from. */
export function mergesAt(ordinal: number): ChainSpan[][] {
  const merges: ChainSpan[][] = [];
  for (let part = 1; ordinal > 0 && ordinal % (part * mergedSets) === 0; part *= mergedSets) {
    const start = ordinal - part * mergedSets;
    merges.push(
      Array.from({ length: mergedSets }, (_, at) => [start + at * part, start + (at + 1) * part]),
    );
  }
  return merges;
}

/**
 * Why no change set leads from a revision. One without a record whose id was minted while this
 * inventory was known, and before the oldest one that is still joined, has expired; any other never
 * was a revision of this inventory.
 */
export function judgeUnjoined(
  since: RevisionId,
  known: { readonly sinceMs: number; readonly untilMs: number },
): 'expired' | 'unknown' {
  const mintedMs = mintedAtMs(since);
  return mintedMs >= known.sinceMs && mintedMs < known.untilMs ? 'expired' : 'unknown';
}

/** The time in the UUIDv7 of an id. */
export function mintedAtMs(id: RevisionId): number {
  const uuid = id.slice(id.indexOf('_') + 1);
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}
