import type { Pending } from './work-queue.ts';

/** Looks at which an item that failed here is left to others, and how many items are remembered. */
const standBackMax = { looks: 3, items: 1_000 };

/**
 * A replica that cannot do something, for want of a broker say, wakes when it is due again: it would
 * be the first one every time. It passes at one look more after each failure.
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
      left.set(id, Math.min(tries, standBackMax.looks));
    },
    /** Whether it is left to others at this look. */
    passes(id: string): boolean {
      const looks = left.get(id);
      if (looks === undefined) return false;
      if (looks > 0) left.set(id, looks - 1);
      else left.delete(id);
      return looks > 0;
    },
  };
}
