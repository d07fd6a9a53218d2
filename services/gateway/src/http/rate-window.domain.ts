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

/** What became of one of several takings, and how many requests were counted by then. */
export interface Taken {
  readonly admitted: boolean;
  readonly used: number;
}

/**
 * Admits, in order, each taking that fits the limit whole; what is refused consumes nothing and
 * leaves room for a smaller one behind it. The count never falls, not even when the limit was
 * lowered below it.
 */
export function admitInOrder(
  usedBefore: number,
  sizes: readonly number[],
  limitPerMinute: number,
): Taken[] {
  let used = usedBefore;
  return sizes.map((size) => {
    const admitted = used + size <= limitPerMinute;
    if (admitted) used += size;
    return { admitted, used };
  });
}
