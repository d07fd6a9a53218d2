import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

export interface TokenBucketsOptions {
  /** Tokens of a full bucket; an empty one is full again after a minute. */
  readonly perMinute: number;
  /** Buckets that are kept: the one that was not used for longest is discarded. */
  readonly keysMax: number;
  readonly clock: Clock;
}

/** One bucket of tokens for each key, which refills with time. */
export interface TokenBuckets {
  /** Seconds until the bucket of a key has a token; null where it has one. */
  secondsUntilToken(key: string): number | null;
  /** Takes a token; false where there is none. */
  take(key: string): boolean;
  /** False where a token was taken and not refilled since. */
  isFull(key: string): boolean;
}

const minuteMs = 60_000;

export function createTokenBuckets({
  perMinute,
  keysMax,
  clock,
}: TokenBucketsOptions): TokenBuckets {
  /** A bucket is the time at which it is full again; none is a full one. */
  const buckets = new LRUCache<string, number>({ max: keysMax });
  const tokenMs = minuteMs / perMinute;

  function fullAtMs(key: string): number {
    const nowMs = clock.now();
    // A clock that was set back leaves a bucket at most empty.
    return Math.min(Math.max(buckets.get(key) ?? nowMs, nowMs), nowMs + minuteMs);
  }

  /** Time until there is one; negative or zero where there is one. */
  const missingMs = (key: string) => fullAtMs(key) + tokenMs - clock.now() - minuteMs;

  return {
    secondsUntilToken(key) {
      const ms = missingMs(key);
      return ms <= 0 ? null : Math.ceil(ms / 1_000);
    },
    take(key) {
      if (missingMs(key) > 0) return false;
      buckets.set(key, fullAtMs(key) + tokenMs);
      return true;
    },
    isFull: (key) => fullAtMs(key) <= clock.now(),
  };
}
