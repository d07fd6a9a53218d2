import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';

export interface WaitForOptions {
  /** A time that the product promises, and the test judges: for `*.long.test.ts` only. */
  readonly withinMs?: number;
  /** From one look to the next; by default 20 ms, and more the longer it takes. */
  readonly everyMs?: number;
}

/** Ends a run that hangs. No verdict depends on it: a slow machine takes less. */
const hangMs = 120_000;

/**
 * Waits until `check` returns something other than undefined or false, and returns it. The reason
 * is a sentence that the failure repeats; an error of the last check is its cause.
 */
export async function waitFor<Value>(
  reason: string,
  check: () => Promise<Value | undefined | false> | Value | undefined | false,
  options: WaitForOptions = {},
): Promise<Value> {
  const limitMs = options.withinMs ?? hangMs;
  const startMs = monotonicNow();
  let lastError: unknown;
  for (;;) {
    const waitedMs = monotonicNow() - startMs;
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    // After the time too: a machine that stood still is looked at once more.
    if (waitedMs >= limitMs) break;
    await pause(options.everyMs ?? everyMsAfter(waitedMs));
  }
  throw new Error(`waited ${limitMs} ms in vain: ${reason}`, { cause: lastError });
}

/** Every look takes time from what is waited for. */
function everyMsAfter(waitedMs: number): number {
  return Math.min(100, Math.max(20, waitedMs / 20));
}
