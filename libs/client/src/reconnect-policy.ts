import type { InventoryError } from './errors.ts';
import { afterMs } from './retry-policy.ts';

/** How a connection ended that another one may follow. */
export interface ConnectionEnd {
  readonly error: InventoryError | null;
  readonly reason: string;
  /** The delay that the service requested; null for none. */
  readonly retryAfterMs: number | null;
}

export interface ReconnectInput {
  readonly end: ConnectionEnd;
  /** Consecutive failed connections, this one included; at least 1. */
  readonly failures: number;
  /** From 0 to less than 1. */
  readonly chance: number;
}

const firstMs = 1_000;
const delayMaxMs = 30_000;

/**
 * Delay before the next connection: the requested one, or exponential backoff with full jitter, so
 * that readers that were disconnected together spread out.
 */
export function reconnectDelayMs({ end, failures, chance }: ReconnectInput): number {
  if (end.retryAfterMs !== null) return afterMs(end.retryAfterMs / 1_000, chance);
  return chance * Math.min(delayMaxMs, firstMs * 2 ** Math.min(failures - 1, 10));
}
