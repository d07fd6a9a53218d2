import type { RefreshOutcome } from '@inventory/contracts/vocabulary';

/** What ended in one quarter of an hour, over all customers. */
export interface QuarterHour {
  readonly startMs: number;
  readonly completed: number;
  readonly failed: number;
  /** Refreshes that completed, by how long they took: counts of {@link waitBoundsSeconds}. */
  readonly waits: readonly number[];
}

export const quarterHourMs = 15 * 60_000;
/** Shown: those of a day, and the one that has begun. */
export const quarterHoursShown = 97;

/** Upper bounds; what took longer is in one more. */
export const waitBoundsSeconds = [
  1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024, 1_536, 2_048,
  3_072, 4_096, 7_200,
] as const;

export function quarterHourOf(timeMs: number): number {
  return Math.floor(timeMs / quarterHourMs) * quarterHourMs;
}

export function noneSince(startMs: number): QuarterHour {
  return { startMs, completed: 0, failed: 0, waits: [] };
}

/** A refresh that ended. A cancelled one is neither completed nor failed. */
export function withEnd(
  quarter: QuarterHour,
  { outcome, waitMs }: { readonly outcome: RefreshOutcome; readonly waitMs: number },
): QuarterHour {
  switch (outcome) {
    case 'complete_changed':
    case 'complete_unchanged':
    case 'private':
    case 'not_found': {
      const bound = waitBoundsSeconds.findIndex((seconds) => waitMs <= seconds * 1_000);
      const at = bound < 0 ? waitBoundsSeconds.length : bound;
      const waits = Array.from(
        { length: Math.max(quarter.waits.length, at + 1) },
        (_, index) => (quarter.waits[index] ?? 0) + Number(index === at),
      );
      return { ...quarter, completed: quarter.completed + 1, waits };
    }
    case 'upstream_unavailable':
    case 'incomplete':
    case 'internal_failure':
      return { ...quarter, failed: quarter.failed + 1 };
    case 'cancelled':
      return quarter;
  }
}

/** Both together, of one quarter. */
export function sumOf(one: QuarterHour, other: QuarterHour): QuarterHour {
  const length = Math.max(one.waits.length, other.waits.length);
  return {
    startMs: one.startMs,
    completed: one.completed + other.completed,
    failed: one.failed + other.failed,
    waits: Array.from({ length }, (_, at) => (one.waits[at] ?? 0) + (other.waits[at] ?? 0)),
  };
}

/** Seconds within which this share of the refreshes completed; null where none did. */
export function waitWithin({ waits }: QuarterHour, share: number): number | null {
  const all = waits.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let counted = 0;
  const at = waits.findIndex((count) => {
    counted += count;
    return counted >= share * all;
  });
  return waitBoundsSeconds[at] ?? waitBoundsSeconds.at(-1) ?? null;
}
