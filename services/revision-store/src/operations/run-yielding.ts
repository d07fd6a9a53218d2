import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs a long computation to its end, letting other work of the process run where it pauses. */
export async function runYielding<Result>(
  computation: Generator<void, Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let step = computation.next(); ; step = computation.next()) {
    if (step.done) return step.value;
    await nextTurn();
    signal.throwIfAborted();
  }
}
