import type { Clock } from './clock.ts';
import { createRecentlyUsed } from './recently-used.ts';

export type TokenBuckets = ReturnType<typeof createTokenBuckets>;

const minuteMs = 60_000;

/** One bucket of tokens for each key, which refills with time. */
export function createTokenBuckets(
  /** Tokens of a full bucket; an empty one is full again after a minute. */
  perMinute: number,
  /** Buckets that are kept: the one that was not used for longest is discarded. */
  keysMax: number,
  clock: Clock,
) {
  /** None is a full one. */
  const fullAtMsOf = createRecentlyUsed<string, number>(keysMax);
  const tokenMs = minuteMs / perMinute;

  function fullAtMs(key: string): number {
    const nowMs = clock.now();
    // A clock that was set back leaves a bucket at most empty.
    return Math.min(Math.max(fullAtMsOf.get(key) ?? nowMs, nowMs), nowMs + minuteMs);
  }

  /** Time until there is one; negative or zero where there is one. */
  const missingMs = (key: string): number => fullAtMs(key) + tokenMs - clock.now() - minuteMs;

  return {
    /** Seconds until the bucket of a key has a token; null where it has one. */
    secondsUntilToken(key: string): number | null {
      const ms = missingMs(key);
      return ms <= 0 ? null : Math.ceil(ms / 1_000);
    },
    /** Takes a token; false where there is none. */
    take(key: string): boolean {
      if (missingMs(key) > 0) return false;
      fullAtMsOf.set(key, fullAtMs(key) + tokenMs);
      return true;
    },
    /** False where a token was taken and not refilled since. */
    isFull: (key: string): boolean => fullAtMs(key) <= clock.now(),
  };
}
