import type { Pending } from './work-queue.ts';

/** Polls at which an item that failed here is left to others, and how many items are remembered. */
const standBackMax = { polls: 3, items: 1_000 };

/**
 * A replica that cannot do something, for want of a broker say, wakes when it is due again: it would
 * be the first one every time. It passes at one poll more after each failure.
 */
export function createStandBack() {
  const left = new Map<string, number>();
  return {
    get size() {
      return left.size;
    },
    failed({ id, tries }: Pending<unknown>): void {
      const [oldest] = left.keys();
      if (left.size >= standBackMax.items && oldest !== undefined) left.delete(oldest);
      left.set(id, Math.min(tries, standBackMax.polls));
    },
    /** Whether it is left to others at this poll. */
    passes(id: string): boolean {
      const polls = left.get(id);
      if (polls === undefined) return false;
      if (polls > 0) left.set(id, polls - 1);
      else left.delete(id);
      return polls > 0;
    },
  };
}
