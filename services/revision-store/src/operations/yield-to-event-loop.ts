import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets other work of the process run between two steps of a long one; rejects once aborted. */
export async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}
