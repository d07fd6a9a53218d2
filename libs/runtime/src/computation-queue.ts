import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs a computation in its turn and passes on what it returns or throws. */
export type EnqueueComputation = <Result>(compute: () => Result) => Promise<Result>;

/**
 * Turns for long computations: one at a time, in the order they came, and the event loop goes
 * round before each. So whatever is short waits for one of them at most, however many there are.
 */
export function createComputationQueue(): EnqueueComputation {
  let last: Promise<unknown> = Promise.resolve();
  return (compute) => {
    const turn = last.then(() => nextTurn()).then(compute);
    last = turn.catch(() => {});
    return turn;
  };
}
