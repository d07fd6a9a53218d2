import type { PageCapacity } from './page-capacity.domain.ts';

/**
 * Pages reserved until each deadline, against the pages that can be read until then. Deadlines are
 * rounded down to one of `steps` equal parts of the horizon: the cost of a check is constant.
 */
export interface Reservations {
  /** True when these pages fit before the deadline and every later reservation still fits. */
  fits(deadlineMs: number, pages: number): boolean;
  add(deadlineMs: number, pages: number): void;
  remove(deadlineMs: number, pages: number): void;
  /** True when these pages can be read before everything reserved without breaking a deadline. */
  fitsAtOnce(pages: number): boolean;
  /** Reserves pages that are read before everything else. */
  addAtOnce(pages: number): void;
  removeAtOnce(pages: number): void;
  /** The first deadline until which everything reserved leaves less than `pages` unreserved. */
  firstTight(pages: number): number | null;
  /** Pages that fit before the end of the horizon. */
  readonly unreserved: number;
}

const steps = 360;

/** Reservations from now to `horizonMs` later, of `share` of the capacity. */
export function openReservations(
  capacity: PageCapacity,
  nowMs: number,
  horizonMs: number,
  share: number,
): Reservations {
  const stepMs = Math.max(1, horizonMs / steps);
  const timeOf = (step: number) => nowMs + step * stepMs;
  const free = Array.from({ length: steps + 1 }, (_, step) => share * capacity.until(timeOf(step)));
  const reserved = new Float64Array(steps + 1);
  const stepOf = (deadlineMs: number) =>
    Math.max(0, Math.min(steps, Math.floor((deadlineMs - nowMs) / stepMs)));

  function change(deadlineMs: number, pages: number): void {
    const first = stepOf(deadlineMs);
    reserved[first] = (reserved[first] ?? 0) + pages;
    takeFrom(first, pages);
  }

  function takeFrom(first: number, pages: number): void {
    for (let step = first; step <= steps; step += 1) free[step] = (free[step] ?? 0) - pages;
  }

  return {
    fits(deadlineMs, pages) {
      for (let step = stepOf(deadlineMs); step <= steps; step += 1) {
        if ((free[step] ?? 0) < pages) return false;
      }
      return true;
    },
    add: (deadlineMs, pages) => change(deadlineMs, pages),
    remove: (deadlineMs, pages) => change(deadlineMs, -pages),
    fitsAtOnce: (pages) => free.every((room, step) => (reserved[step] ?? 0) <= 0 || room >= pages),
    addAtOnce: (pages) => takeFrom(0, pages),
    removeAtOnce: (pages) => takeFrom(0, -pages),
    firstTight(pages) {
      for (let step = 0; step <= steps; step += 1) {
        if ((reserved[step] ?? 0) > 0 && (free[step] ?? 0) < pages) return timeOf(step + 1);
      }
      return null;
    },
    get unreserved() {
      return Math.max(0, free[steps] ?? 0);
    },
  };
}
