import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Runs a computation that pauses after each stretch of work, so that other work can run. */
export async function runYielding<Result>(
  computation: Generator<void, Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    const step = computation.next();
    if (step.done) return step.value;
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
}
