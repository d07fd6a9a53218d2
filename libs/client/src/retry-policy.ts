import type { InventoryError } from './errors.ts';

/** State of one call, for its next delay. */
export interface RetryInput {
  /** Failed attempts so far, at least 1. */
  readonly failures: number;
  /** Retry-After of the last response. */
  readonly retryAfterSeconds: number | null;
  /** From 0 to less than 1. */
  readonly chance: number;
}

const firstMs = 250;
const delayMaxMs = 8_000;
/** Largest jitter, as a share of Retry-After, so that clients spread out. */
const jitterShare = 0.25;
const jitterMaxMs = 5_000;

/**
 * Delay before the next attempt: at least Retry-After, or exponential backoff with jitter in its
 * upper half.
 */
export function retryDelayMs({ failures, retryAfterSeconds, chance }: RetryInput): number {
  if (retryAfterSeconds !== null) return afterMs(retryAfterSeconds, chance);
  const fullMs = Math.min(delayMaxMs, firstMs * 2 ** (failures - 1));
  return fullMs / 2 + (fullMs / 2) * chance;
}

/** The seconds as milliseconds, and up to a quarter more. */
export function afterMs(seconds: number, chance: number): number {
  const delayMs = seconds * 1_000;
  return delayMs + Math.min(jitterMaxMs, delayMs * jitterShare) * chance;
}

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

const reconnectFirstMs = 1_000;
const reconnectMaxMs = 30_000;

/**
 * Delay before the next connection: the requested one, or exponential backoff with full jitter, so
 * that readers that were disconnected together spread out.
 */
export function reconnectDelayMs({ end, failures, chance }: ReconnectInput): number {
  if (end.retryAfterMs !== null) return afterMs(end.retryAfterMs / 1_000, chance);
  return chance * Math.min(reconnectMaxMs, reconnectFirstMs * 2 ** Math.min(failures - 1, 10));
}
