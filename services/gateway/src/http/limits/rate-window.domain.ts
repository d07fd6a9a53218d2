/** Fixed windows on the minute: `reset_seconds` is exact, and all replicas agree on the start. */
export const rateWindowMs = 60_000;

/** State of a limit in the current minute. */
export interface RateState {
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
export function rateStateAt(used: number, limitPerMinute: number, nowMs: number): RateState {
  const endMs = windowStartOf(nowMs) + rateWindowMs;
  return {
    limitPerMinute,
    remaining: Math.max(0, limitPerMinute - used),
    resetSeconds: Math.max(1, Math.ceil((endMs - nowMs) / 1000)),
  };
}

/** So many requests of one Principal, all or none; a negative number returns requests. */
export interface Taking {
  readonly requests: number;
  /** That of its Principal: Service accounts of a customer account may have different ones. */
  readonly limitPerMinute: number;
}

/** Result of one of several takings, and the count after it. */
export interface Taken {
  readonly admitted: boolean;
  readonly used: number;
}

/**
 * Admits, in order, each taking that fits its own limit as a whole; a refused one consumes nothing,
 * so a smaller one after it may fit. Unless requests are returned the count never decreases, even
 * when a limit was lowered below it.
 */
export function admitInOrder(usedBefore: number, takings: readonly Taking[]): Taken[] {
  let used = usedBefore;
  return takings.map(({ requests, limitPerMinute }) => {
    const admitted = requests < 0 || used + requests <= limitPerMinute;
    if (admitted) used = Math.max(0, used + requests);
    return { admitted, used };
  });
}

/**
 * How much higher the count may be for the same takings to fit: the tightest limit among those that
 * are admitted. What is returned always fits.
 */
export function slackOf(takings: readonly Taking[], taken: readonly Taken[]): number {
  const left = takings.flatMap(({ requests, limitPerMinute }, index) => {
    const { admitted = false, used = 0 } = taken[index] ?? {};
    return admitted && requests > 0 ? [limitPerMinute - used] : [];
  });
  return Math.min(Number.MAX_SAFE_INTEGER, ...left);
}
