import type { Clock } from '@inventory/runtime/clock';

/** This machine's clock and the store's differ too much: nothing is written until they agree. */
export class ClockSkewed extends Error {
  override name = 'ClockSkewed';
}

interface Reference {
  readonly storeMs: number;
  readonly monotonicMs: number;
  /** Half the round trip: the measurement is not more exact. */
  readonly errorMs: number;
}

/**
 * The wall clock of entries: usable once measured. Between measurements the store's time is
 * derived monotonically.
 */
export type JournalClock = ReturnType<typeof createJournalClock>;

export function createJournalClock(deps: {
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number;
  /** The store's own clock, which is the same for all replicas. */
  readonly readStoreTime: () => Promise<number>;
  readonly offsetMaxMs: number;
}) {
  let reference: Reference | null = null;

  function offsetAt(nowMs: number): number | null {
    if (reference === null) return null;
    return nowMs - (reference.storeMs + deps.monotonicNow() - reference.monotonicMs);
  }

  function problemAt(nowMs: number): string | null {
    const offsetMs = offsetAt(nowMs);
    if (reference === null || offsetMs === null) return "clock is not compared with MongoDB's yet";
    const absoluteMs = Math.abs(offsetMs);
    if (absoluteMs <= deps.offsetMaxMs + reference.errorMs) return null;
    return `clock is ${Math.round(absoluteMs)} ms ${offsetMs > 0 ? 'ahead of' : 'behind'} MongoDB's`;
  }

  return {
    /** Milliseconds since the epoch. Throws {@link ClockSkewed} beyond the greatest offset. */
    now(): number {
      const nowMs = deps.clock.now();
      const problem = problemAt(nowMs);
      if (problem !== null) throw new ClockSkewed(problem);
      return nowMs;
    },
    /** Reads the store's clock; rejects as the read does. */
    async measure(): Promise<void> {
      const startMs = deps.monotonicNow();
      const storeMs = await deps.readStoreTime();
      const endMs = deps.monotonicNow();
      reference = { storeMs, monotonicMs: (startMs + endMs) / 2, errorMs: (endMs - startMs) / 2 };
    },
    /** How far this clock is ahead of the store's; negative behind it, null before a measurement. */
    offsetMs: () => offsetAt(deps.clock.now()),
    /** Names the offset where it stops all writes. */
    problems(): readonly string[] {
      const problem = problemAt(deps.clock.now());
      return problem === null ? [] : [problem];
    },
  };
}
