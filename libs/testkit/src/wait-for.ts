import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';

export interface WaitForOptions {
  /** A time limit that the product promises: for `*.long.test.ts` only. */
  readonly withinMs?: number;
  /** Interval of the checks; by default 20 ms, growing with the duration. */
  readonly everyMs?: number;
}

/** Ends a hanging run. No verdict depends on it: slow machines take less. */
const hangMs = 120_000;

/**
 * Waits until `check` returns something other than undefined or false, and returns it. `reason` is a
 * sentence in the failure's message; an error of the last check is its cause.
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
    // Checks once more after the time: the machine may have been suspended.
    if (waitedMs >= limitMs) break;
    await pause(options.everyMs ?? everyMsAfter(waitedMs));
  }
  throw new Error(`waited ${limitMs} ms in vain: ${reason}`, { cause: lastError });
}

/** Every check slows down the observed code. */
function everyMsAfter(waitedMs: number): number {
  return Math.min(100, Math.max(20, waitedMs / 20));
}
