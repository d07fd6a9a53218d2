import type { PageCapacity } from './page-capacity.domain.ts';
import { createSuffixMinimum } from './suffix-minimum.domain.ts';

/**
 * Pages reserved until each deadline, against the pages that can be read until then. Deadlines are
 * rounded down to one of `steps` equal parts of the horizon.
 */
export type Reservations = ReturnType<typeof openReservations>;

const steps = 360;

/** Reservations from now to `horizonMs` later, of `share` of the capacity. */
export function openReservations(
  capacity: PageCapacity,
  nowMs: number,
  horizonMs: number,
  share: number,
) {
  const stepMs = Math.max(1, horizonMs / steps);
  const timeOf = (step: number) => nowMs + step * stepMs;
  const unreserved = Array.from(
    { length: steps + 1 },
    (_, step) => share * capacity.until(timeOf(step)),
  );
  const free = createSuffixMinimum(unreserved);
  /** The same at the deadlines of what is reserved. */
  const freeAtDeadlines = createSuffixMinimum(unreserved.map(() => Number.POSITIVE_INFINITY));
  const stepOf = (deadlineMs: number) =>
    Math.max(0, Math.min(steps, Math.floor((deadlineMs - nowMs) / stepMs)));

  function take(step: number, pages: number): void {
    free.add(step, -pages);
    freeAtDeadlines.add(step, -pages);
  }

  return {
    /** True when these pages fit before the deadline and every later reservation still fits. */
    fits: (deadlineMs: number, pages: number): boolean => free.least(stepOf(deadlineMs)) >= pages,
    add(deadlineMs: number, pages: number): void {
      const step = stepOf(deadlineMs);
      take(step, pages);
      freeAtDeadlines.set(step, free.at(step));
    },
    /** True when these pages can be read before everything reserved without breaking a deadline. */
    fitsAtOnce: (pages: number): boolean => freeAtDeadlines.least(0) >= pages,
    /** Reserves pages that are read before everything else. */
    addAtOnce: (pages: number): void => take(0, pages),
    /** The first deadline until which everything reserved leaves less than `pages` unreserved. */
    firstTight(pages: number): number | null {
      for (let step = 0; step <= steps; step += 1) {
        if (freeAtDeadlines.at(step) < pages) return timeOf(step + 1);
      }
      return null;
    },
    /** Pages that fit before the end of the horizon. */
    get unreserved(): number {
      return Math.max(0, free.at(steps));
    },
  };
}
