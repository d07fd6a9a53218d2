import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';

/** Small enough that one batch leaves capacity for other requests. */
export const batchConcurrencyMax = 25;

export interface BatchOptions<Item, Result> {
  /** Items of one key run in order; others run concurrently. */
  readonly keyOf: (item: Item) => string;
  readonly concurrencyMax: number;
  /** Items that have not started by then are not started. */
  readonly beginWithinMs: number;
  /** Must not reject. */
  readonly run: (item: Item) => Promise<Result>;
  readonly late: (item: Item) => Result;
}

/** One result per item, in the order of the items. */
export async function runItems<Item, Result>(
  items: readonly Item[],
  options: BatchOptions<Item, Result>,
): Promise<Result[]> {
  const startMs = monotonicNow();
  const results = new Map<number, Result>();
  const groups = Map.groupBy(items.entries(), ([, item]) => options.keyOf(item));
  await forEachLimited(groups.values(), options.concurrencyMax, async (group) => {
    for (const [index, item] of group) {
      const isLate = elapsedSince(startMs) > options.beginWithinMs;
      results.set(index, isLate ? options.late(item) : await options.run(item));
    }
  });
  return items.flatMap((_, index) => results.get(index) ?? []);
}
