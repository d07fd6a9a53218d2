import type { ClientEnvironment } from './client-environment.ts';
import { InventoryError } from './errors.ts';
import { readAnswer, type Success } from './read-answer.ts';
import { retryDelayMs } from './retry-policy.ts';
import type { Call, Send } from './transport.ts';

/** Of one call, its retries included. */
export interface CallLimits {
  /** By the surroundings' clock; a try that would begin later is not made. */
  readonly endsAtMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface Caller {
  /**
   * Asks until there is an answer that asking again cannot change, or until the deadline. Only for
   * calls that may be repeated: reads, calls with an Idempotency-Key, and those that change nothing
   * the second time.
   */
  call(
    call: Call,
    limits: CallLimits,
    onFailure?: (error: InventoryError) => void,
  ): Promise<Success>;
}

export interface CallerOptions {
  readonly send: Send;
  readonly tryTimeoutMs: number;
  readonly environment: ClientEnvironment;
}

export function createCaller({ send, tryTimeoutMs, environment }: CallerOptions): Caller {
  const { nowMs, chance, pause } = environment;
  return {
    async call(call, { endsAtMs, signal }, onFailure) {
      for (let failures = 1; ; failures += 1) {
        signal?.throwIfAborted();
        try {
          const patienceMs = tryTimeoutMs + (call.waitMs ?? 0);
          const timeoutMs = Math.min(patienceMs, endsAtMs - nowMs());
          return readAnswer(call, await send(call, { timeoutMs, signal }));
        } catch (error) {
          if (!(error instanceof InventoryError) || !error.retryable) throw error;
          onFailure?.(error);
          const retryAfterSeconds = retryAfterOf(error);
          const delayMs = retryDelayMs({ failures, retryAfterSeconds, chance: chance() });
          if (nowMs() + delayMs >= endsAtMs) throw error;
          await pause(delayMs, signal);
        }
      }
    },
  };
}

function retryAfterOf(error: InventoryError): number | null {
  return 'retryAfterSeconds' in error ? (error.retryAfterSeconds as number | null) : null;
}
