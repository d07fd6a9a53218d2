import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';

export interface BatchOptions<Item, Result> {
  /** Items of one key follow each other; the others share the lanes. */
  readonly keyOf: (item: Item) => string;
  readonly lanesMax: number;
  /** What has not begun by then is not begun any more. */
  readonly beginWithinMs: number;
  /** Must not reject. */
  readonly run: (item: Item) => Promise<Result>;
  readonly late: (item: Item) => Result;
}

/** One result per item, in the order of the items. */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  options: BatchOptions<Item, Result>,
): Promise<Result[]> {
  const startMs = monotonicNow();
  const results = new Map<number, Result>();
  const groups = Map.groupBy(items.entries(), ([, item]) => options.keyOf(item));
  await forEachLimited(groups.values(), options.lanesMax, async (group) => {
    for (const [index, item] of group) {
      const isLate = elapsedSince(startMs) > options.beginWithinMs;
      results.set(index, isLate ? options.late(item) : await options.run(item));
    }
  });
  return items.flatMap((_, index) => results.get(index) ?? []);
}
