import type { InventoryError } from './errors.ts';
import { afterMs } from './retry-policy.ts';

/** How a connection ended after which another may follow. */
export interface ConnectionEnd {
  readonly error: InventoryError | null;
  readonly reason: string;
  /** What the service asked for; null when it did not. */
  readonly retryAfterMs: number | null;
}

export interface ReconnectAsk {
  readonly end: ConnectionEnd;
  /** Connections in a row that came to nothing, this one included; at least 1. */
  readonly failures: number;
  /** From 0 to less than 1. */
  readonly chance: number;
}

const firstMs = 1_000;
const longestMs = 30_000;

/**
 * How long to wait before the next connection: what was asked for, else full jitter over a doubling
 * time, so that readers that were cut off together do not come back together.
 */
export function reconnectDelayMs({ end, failures, chance }: ReconnectAsk): number {
  if (end.retryAfterMs !== null) return afterMs(end.retryAfterMs / 1_000, chance);
  return chance * Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10));
}
