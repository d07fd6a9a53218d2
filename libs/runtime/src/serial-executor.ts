import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

export interface SerialExecutor {
  /** Runs a computation after those before it; settles with what it returns or throws. */
  enqueue<Result>(compute: () => Result): Promise<Result>;
}

/**
 * Runs long computations one at a time, in the order they were enqueued, and yields to the event
 * loop before each: short work waits for one of them at most, however many are enqueued.
 */
export function createSerialExecutor(): SerialExecutor {
  let last: Promise<unknown> = Promise.resolve();
  return {
    enqueue(compute) {
      const current = last.then(() => yieldToEventLoop()).then(compute);
      last = current.catch(() => {});
      return current;
    },
  };
}
