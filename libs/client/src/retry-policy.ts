/** Waits between the tries of one call. All times in milliseconds. */
export interface RetryAsk {
  /** Tries that have failed so far, at least 1. */
  readonly failures: number;
  /** What the last answer asked for. */
  readonly retryAfterSeconds: number | null;
  /** From 0 to less than 1. */
  readonly chance: number;
}

const firstMs = 250;
const longestMs = 8_000;
/** Of what Retry-After asks, added by chance so that clients do not return all at once. */
const jitterShare = 0.25;
const jitterMaxMs = 5_000;

/**
 * How long to wait before the next try: never less than Retry-After asked for, else a doubling
 * time of which at least half is waited.
 */
export function retryDelayMs({ failures, retryAfterSeconds, chance }: RetryAsk): number {
  if (retryAfterSeconds !== null) return afterMs(retryAfterSeconds, chance);
  const fullMs = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return fullMs / 2 + (fullMs / 2) * chance;
}

/** At least this many seconds, and up to a quarter more. */
export function afterMs(seconds: number, chance: number): number {
  const askedMs = seconds * 1_000;
  return askedMs + Math.min(jitterMaxMs, askedMs * jitterShare) * chance;
}
