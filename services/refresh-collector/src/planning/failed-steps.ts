import { type Backoff, jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';

export type FailedSteps = ReturnType<typeof createFailedSteps>;

interface FailedStep {
  readonly failures: number;
  /** When it failed last. */
  readonly atMs: number;
  readonly pauseMs: number;
}

/** From this many failures in a row on a step is set aside. */
export const setAsideFailures = 5;

/** Refreshes whose step of the plan failed; each step is retried after a pause that doubles. */
export function createFailedSteps(clock: Clock) {
  const failed = new Map<string, FailedStep>();

  return {
    /** True where nothing failed, too. */
    isDue(id: string): boolean {
      const step = failed.get(id);
      // A clock that was set back delays no step.
      return !step || Math.abs(clock.now() - step.atMs) >= step.pauseMs;
    },
    /** Starts a pause; returns it with the failures in a row. */
    recordFailure(
      id: string,
      backoff: Backoff,
    ): { readonly failures: number; readonly pauseMs: number } {
      const failures = (failed.get(id)?.failures ?? 0) + 1;
      const pauseMs = jitteredDelayMs(backoff, failures);
      failed.set(id, { failures, atMs: clock.now(), pauseMs });
      return { failures, pauseMs };
    },
    /** The cause may be over for all: every other step is due. */
    recordSuccess(id: string): void {
      if (!failed.delete(id)) return;
      for (const [other, step] of failed) failed.set(other, { ...step, pauseMs: 0 });
    },
    /** Forgets refreshes that are not open any more. */
    keepOnly(isOpen: (refreshId: string) => boolean): void {
      for (const id of failed.keys()) if (!isOpen(id)) failed.delete(id);
    },
    /** Steps that failed again and again. */
    get setAside(): number {
      return [...failed.values()].filter(({ failures }) => failures >= setAsideFailures).length;
    },
  };
}
