import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';

export interface WaitForOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Waits until `check` returns something other than undefined or false, and returns it. The reason
 * is a sentence that the failure repeats; an error of the last check is its cause.
 */
export async function waitFor<Value>(
  reason: string,
  check: () => Promise<Value | undefined | false> | Value | undefined | false,
  options: WaitForOptions = {},
): Promise<Value> {
  const { timeoutMs = 15_000, everyMs = 20 } = options;
  const startMs = monotonicNow();
  let lastError: unknown;
  while (monotonicNow() - startMs < timeoutMs) {
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await pause(everyMs);
  }
  throw new Error(`waited ${timeoutMs} ms in vain: ${reason}`, { cause: lastError });
}
