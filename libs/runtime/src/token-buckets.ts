import type { Clock } from './clock.ts';
import { createRecentlyUsed } from './recently-used.ts';

export interface TokenBucketsOptions {
  /** Tokens of a full bucket; an empty one is full again after a minute. */
  readonly perMinute: number;
  /** Buckets that are kept: the one that was not used for longest is discarded. */
  readonly keysMax: number;
  readonly clock: Clock;
}

export type TokenBuckets = ReturnType<typeof createTokenBuckets>;

interface Bucket {
  readonly fullAtMs: number;
  readonly reserved: number;
}

const minuteMs = 60_000;

/** One bucket of tokens for each key, which refills with time. */
export function createTokenBuckets({ perMinute, keysMax, clock }: TokenBucketsOptions) {
  /** None is a full one. */
  const buckets = createRecentlyUsed<string, Bucket>(keysMax);
  const tokenMs = minuteMs / perMinute;

  function bucketOf(key: string): Bucket {
    const nowMs = clock.now();
    const { fullAtMs, reserved } = buckets.get(key) ?? { fullAtMs: nowMs, reserved: 0 };
    // A clock that was set back leaves a bucket at most empty.
    return { fullAtMs: Math.min(Math.max(fullAtMs, nowMs), nowMs + minuteMs), reserved };
  }

  /** Time until there is one, should all that are reserved be taken; negative or zero where there is one. */
  function missingMs({ fullAtMs, reserved }: Bucket): number {
    return fullAtMs + (reserved + 1) * tokenMs - clock.now() - minuteMs;
  }

  function reserve(key: string): boolean {
    const bucket = bucketOf(key);
    if (missingMs(bucket) > 0) return false;
    buckets.set(key, { ...bucket, reserved: bucket.reserved + 1 });
    return true;
  }

  function settle(key: string, isTaken: boolean): void {
    const { fullAtMs, reserved } = bucketOf(key);
    buckets.set(key, {
      fullAtMs: fullAtMs + (isTaken ? tokenMs : 0),
      reserved: Math.max(0, reserved - 1),
    });
  }

  return {
    /** Seconds until the bucket of a key has a token; null where it has one. */
    secondsUntilToken(key: string): number | null {
      const ms = missingMs(bucketOf(key));
      return ms <= 0 ? null : Math.ceil(ms / 1_000);
    },
    /** Takes a token; false where there is none. */
    take(key: string): boolean {
      const isReserved = reserve(key);
      if (isReserved) settle(key, true);
      return isReserved;
    },
    /** Reserves a token; false where there is none. */
    reserve,
    /** Takes the token that was reserved, or returns it. */
    settle,
    /** False where a token was taken and not refilled since; reserved ones do not count. */
    isFull: (key: string): boolean => bucketOf(key).fullAtMs <= clock.now(),
    /** Whether more than half of the tokens of the bucket are reserved. */
    isUndecided: (key: string): boolean => 2 * bucketOf(key).reserved > perMinute,
  };
}
