/** Fixed windows on the minute: `reset_seconds` is exact, and every replica agrees on the start. */
export const rateWindowMs = 60_000;

/** Where an account stands in the present minute. */
export interface RateStanding {
  readonly limitPerMinute: number;
  readonly remaining: number;
  /** Seconds until the window ends, rounded up, at least 1. */
  readonly resetSeconds: number;
}

export function windowStartOf(nowMs: number): number {
  return nowMs - (nowMs % rateWindowMs);
}

/**
 * Where the account stands once `used` requests of the present window are counted; a request
 * that was refused is not among them.
 */
export function standingAt(used: number, limitPerMinute: number, nowMs: number): RateStanding {
  const endMs = windowStartOf(nowMs) + rateWindowMs;
  return {
    limitPerMinute,
    remaining: Math.max(0, limitPerMinute - used),
    resetSeconds: Math.max(1, Math.ceil((endMs - nowMs) / 1000)),
  };
}

/**
 * The count after `wanted` more requests. It stops at the limit, so what is refused consumes
 * nothing; it never falls, not even when the limit was lowered below it.
 */
export function usedAfter(usedBefore: number, wanted: number, limitPerMinute: number): number {
  return Math.max(usedBefore, Math.min(limitPerMinute, usedBefore + wanted));
}
