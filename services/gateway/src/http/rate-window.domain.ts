/** Fixed windows on the minute: `reset_seconds` is exact, and all replicas agree on the start. */
export const rateWindowMs = 60_000;

/** State of a limit in the current minute. */
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
 * State of the limit after `used` counted requests of the current window; refused ones are not
 * counted.
 */
export function standingAt(used: number, limitPerMinute: number, nowMs: number): RateStanding {
  const endMs = windowStartOf(nowMs) + rateWindowMs;
  return {
    limitPerMinute,
    remaining: Math.max(0, limitPerMinute - used),
    resetSeconds: Math.max(1, Math.ceil((endMs - nowMs) / 1000)),
  };
}

/** Result of one of several takings, and the count after it. */
export interface Taken {
  readonly admitted: boolean;
  readonly used: number;
}

/**
 * Admits, in order, each taking that fits the limit as a whole; a refused one consumes nothing, so
 * a smaller one after it may fit. A negative size returns requests. Otherwise the count never
 * decreases, even when the limit was lowered below it.
 */
export function admitInOrder(
  usedBefore: number,
  sizes: readonly number[],
  limitPerMinute: number,
): Taken[] {
  let used = usedBefore;
  return sizes.map((size) => {
    const admitted = size < 0 || used + size <= limitPerMinute;
    if (admitted) used = Math.max(0, used + size);
    return { admitted, used };
  });
}
