import type { LogBatch } from '@inventory/contracts/internal/event-log';
import type { KeptEntry } from './project-log-store.ts';

export interface ReadLog {
  readonly logEpoch: number;
  /** The position that the batch follows. */
  readonly after: number;
  readonly head: number;
  readonly oldest: KeptEntry | undefined;
  readonly items: readonly KeptEntry[];
}

/**
 * The reads of a batch are not atomic: entries may be appended or pruned between them. A batch has
 * contiguous items only; after a gap it starts at `earliestPosition`, which sends a reader that
 * expected the missing entries to recovery.
 */
export function toLogBatch({ logEpoch, after, head, oldest, items }: ReadLog): LogBatch {
  const kept = items.slice(contiguousFrom(items, after));
  const headPosition = Math.max(head, kept.at(-1)?.position ?? 0);
  const earliest = earliestOf(oldest, kept[0], after);
  return {
    logEpoch,
    headPosition,
    earliestPosition: earliest?.position ?? headPosition + 1,
    earliestAtMs: earliest?.appendedAtMs ?? null,
    items: [...kept],
  };
}

/** Index of the first item after the last gap; 0 without one. */
function contiguousFrom(items: readonly KeptEntry[], after: number): number {
  const afterGap = items.findLastIndex(
    ({ position }, index) => position !== (items[index - 1]?.position ?? after) + 1,
  );
  return Math.max(0, afterGap);
}

/** Items that do not continue `after` were pruned in front of the first one. */
function earliestOf(
  oldest: KeptEntry | undefined,
  first: KeptEntry | undefined,
  after: number,
): KeptEntry | undefined {
  if (first === undefined) return oldest;
  if (first.position !== after + 1 || oldest === undefined) return first;
  return oldest.position < first.position ? oldest : first;
}
