import type { PageCapacity } from './page-capacity.domain.ts';

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
  const unreserved = new Float64Array(steps + 1);
  for (let step = 0; step <= steps; step += 1) {
    unreserved[step] = share * capacity.until(timeOf(step));
  }
  const free = createMinimumTree(unreserved);
  /** The same at the deadlines of what is reserved. */
  const freeAtDeadlines = createMinimumTree(unreserved.fill(Number.POSITIVE_INFINITY));
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

/**
 * A lazy segment tree of minima: numbers that are changed, and whose least is read, from an index to
 * the end, in logarithmic time. The numbers are its leaves; each node has the minimum below it without
 * what was added to the nodes above it.
 */
export function createMinimumTree(numbers: ArrayLike<number>) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, numbers.length)));
  const minimum = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
  const added = new Float64Array(2 * size);
  minimum.set(numbers, size);
  // Nothing is added yet. One of a pair has an even index.
  for (let node = 2 * size - 2; node >= 2; node -= 2) {
    minimum[node >> 1] = Math.min(minimum[node] ?? 0, minimum[node + 1] ?? 0);
  }

  function leastBelow(node: number): number {
    return (minimum[node] ?? Number.POSITIVE_INFINITY) + (added[node] ?? 0);
  }

  function update(node: number): void {
    minimum[node] = Math.min(leastBelow(2 * node), leastBelow(2 * node + 1));
  }

  function at(index: number): number {
    let value = minimum[size + index] ?? Number.POSITIVE_INFINITY;
    for (let node = size + index; node >= 1; node >>= 1) value += added[node] ?? 0;
    return value;
  }

  return {
    /** Adds to every number from `from` on. */
    add(from: number, more: number): void {
      let node = size + from;
      added[node] = (added[node] ?? 0) + more;
      for (; node > 1; node >>= 1) {
        if (node % 2 === 0) added[node + 1] = (added[node + 1] ?? 0) + more;
        update(node >> 1);
      }
    },
    /** The least number from `from` on. */
    least(from: number): number {
      let node = size + from;
      let least = leastBelow(node);
      for (; node > 1; node >>= 1) {
        if (node % 2 === 0) least = Math.min(least, leastBelow(node + 1));
        least += added[node >> 1] ?? 0;
      }
      return least;
    },
    at,
    set(index: number, value: number): void {
      let node = size + index;
      minimum[node] = 0;
      minimum[node] = value - at(index);
      for (; node > 1; node >>= 1) update(node >> 1);
    },
  };
}
