import { type Backoff, jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';

/** Refreshes whose step of the plan failed; each step is retried after a pause that doubles. */
export interface FailedSteps {
  /** True where nothing failed, too. */
  isDue(refreshId: string): boolean;
  /** Starts a pause; returns it with the failures in a row. */
  recordFailure(
    refreshId: string,
    backoff: Backoff,
  ): { readonly failures: number; readonly pauseMs: number };
  /** The cause may be over for all: every other step is due. */
  recordSuccess(refreshId: string): void;
  /** Forgets refreshes that are not open any more. */
  keepOnly(isOpen: (refreshId: string) => boolean): void;
  /** Steps that failed again and again. */
  readonly setAside: number;
}

interface FailedStep {
  readonly failures: number;
  readonly dueMs: number;
}

/** From this many failures in a row on a step is set aside. */
export const setAsideFailures = 5;

export function createFailedSteps(clock: Clock): FailedSteps {
  const failed = new Map<string, FailedStep>();

  return {
    isDue: (id) => clock.now() >= (failed.get(id)?.dueMs ?? 0),
    recordFailure(id, backoff) {
      const failures = (failed.get(id)?.failures ?? 0) + 1;
      const pauseMs = jitteredDelayMs(backoff, failures);
      failed.set(id, { failures, dueMs: clock.now() + pauseMs });
      return { failures, pauseMs };
    },
    recordSuccess(id) {
      if (!failed.delete(id)) return;
      for (const [other, step] of failed) failed.set(other, { ...step, dueMs: 0 });
    },
    keepOnly(isOpen) {
      for (const id of failed.keys()) if (!isOpen(id)) failed.delete(id);
    },
    get setAside() {
      return [...failed.values()].filter(({ failures }) => failures >= setAsideFailures).length;
    },
  };
}
