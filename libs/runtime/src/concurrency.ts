import { setImmediate as endOfTick } from 'node:timers/promises';
import { invariant } from './bug.ts';
import { pause } from './wait.ts';

/**
 * Runs `work` over all items, at most `limit` at a time. After a failure no further item starts;
 * rejects with the first failure once all started items have ended, so that a retry never runs
 * concurrently with the first attempt.
 */
export async function forEachLimited<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  invariant(limit >= 1, 'the limit must be at least 1');
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    try {
      while (failures.length === 0) {
        const next = iterator.next();
        if (next.done) return;
        await work(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures[0];
}

/**
 * Groups concurrent calls: items added in one tick of the event loop, or while as many flushes run as
 * may, are flushed together. There is no linger beyond the tick.
 */
export interface Batcher<Item, Result> {
  add(item: Item): Promise<Result>;
  /** Resolves when everything added so far is flushed. */
  idle(): Promise<void>;
  readonly waiting: number;
}

/** The queue of a {@link Batcher} is full: the caller sheds load. */
export class BatcherFull extends Error {
  override name = 'BatcherFull';
}

export interface BatcherOptions<Item, Result> {
  readonly itemsMax: number;
  readonly waitingMax: number;
  /** Flushes at a time, 1 without it. With more of them one that hangs does not delay the others. */
  readonly flushesMax?: number;
  /** How long the first item waits for others, where nothing waits for it; a tick without it. */
  readonly batchWindowMs?: number;
  /** Must return one result per item, in order; a rejection fails all items of the batch. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
}

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { itemsMax, waitingMax, flushesMax = 1, batchWindowMs, flush } = options;
  invariant(itemsMax >= 1, 'a batch must hold at least 1 item');
  invariant(flushesMax >= 1, 'at least 1 flush must run at a time');
  interface Waiting {
    item: Item;
    resolve: (result: Result) => void;
    reject: (reason: unknown) => void;
  }
  const queue: Waiting[] = [];
  let running = 0;
  let flushed: Promise<unknown> = Promise.resolve();

  async function flushOnce(): Promise<void> {
    const batch = queue.splice(0, itemsMax);
    try {
      const results = await flush(batch.map((waiting) => waiting.item));
      for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Result);
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
  }

  async function flushQueue(): Promise<void> {
    while (queue.length > 0) await flushOnce();
    running -= 1;
  }

  function startRun(): void {
    running += 1;
    const window = batchWindowMs === undefined ? endOfTick() : pause(batchWindowMs);
    const run = window.then(flushQueue);
    flushed = Promise.all([flushed, run]).then(() => undefined);
  }

  return {
    add(item) {
      if (queue.length >= waitingMax) return Promise.reject(new BatcherFull());
      return new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
        if (running < flushesMax) startRun();
      });
    },
    idle: async () => void (await flushed),
    get waiting() {
      return queue.length;
    },
  };
}
