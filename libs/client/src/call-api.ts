import { checkOptions } from './arguments.ts';
import type { ClientEnvironment } from './client-environment.ts';
import { ApiError, InventoryError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { readAnswer, type Success } from './read-answer.ts';
import { retryDelayMs } from './retry-policy.ts';
import type { Call, Send } from './transport.ts';

/**
 * Calls one operation, with retries until the deadline of its options. For idempotent calls only:
 * reads, calls with an Idempotency-Key, and those without a further effect.
 */
export type CallApi = (
  call: Call,
  options: CallOptions,
  onFailure?: (error: InventoryError) => void,
) => Promise<Success>;

const deadlineDefaultMs = 90_000;

/** `tryTimeoutMs` is the timeout of one attempt. */
export function createCallApi(
  send: Send,
  tryTimeoutMs: number,
  { nowMs, chance, pause }: ClientEnvironment,
): CallApi {
  return async (call, options, onFailure) => {
    checkOptions(options);
    const { deadlineMs = deadlineDefaultMs, signal } = options;
    const endsAtMs = nowMs() + Math.min(deadlineMs, call.repeatableMs ?? deadlineMs);
    for (let failures = 1; ; failures += 1) {
      signal?.throwIfAborted();
      try {
        const attemptMs = tryTimeoutMs + (call.waitMs ?? 0);
        const timeoutMs = Math.min(attemptMs, endsAtMs - nowMs());
        return readAnswer(call, await send(call, { timeoutMs, signal }));
      } catch (error) {
        if (!(error instanceof InventoryError) || !error.retryable) throw error;
        onFailure?.(error);
        const retryAfterSeconds = error instanceof ApiError ? error.retryAfterSeconds : null;
        const delayMs = retryDelayMs({ failures, retryAfterSeconds, chance: chance() });
        if (nowMs() + delayMs >= endsAtMs) throw error;
        await pause(delayMs, signal);
      }
    }
  };
}
