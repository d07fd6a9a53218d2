import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import { createKeyedSemaphore, createSemaphore } from '@inventory/runtime/semaphore';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';

export interface UnknownKeysOptions {
  /** Keys of one peer in a minute that are looked up and not found. */
  readonly perMinute: number;
  readonly clock: Clock;
}

/** Bounds what keys cost that were never found: each is a majority read of the store. */
export interface UnknownKeys<Found> {
  /** False where no peer has an empty bucket: nothing else has to be found out about a request. */
  isRefusing(): boolean;
  /** Seconds for which no unknown key of the peer is looked up; null where they are. */
  secondsRefused(peer: string): number | null;
  /**
   * Runs a look-up; null means that the key does not exist. Requests with the same key, here by its
   * digest, share one look-up. Throws `rate_limit_exceeded`.
   */
  lookUp(peer: string, digest: string, find: () => Promise<Found | null>): Promise<Found | null>;
}

/** Look-ups at a time, out of the connections of the store that all requests share. */
const runningMax = 8;
/** Look-ups that run or wait: those of one peer leave places for others. */
const admitted = { perKeyMax: 32, totalMax: 128 };
const peersMax = 50_000;

/**
 * A peer has a bucket of refusals: an unknown key takes one, a key that exists takes none. While the
 * bucket is empty its unknown keys are refused without a look-up. Known keys do not come here.
 */
export function createUnknownKeys<Found>({
  perMinute,
  clock,
}: UnknownKeysOptions): UnknownKeys<Found> {
  const refusals = createTokenBuckets({ perMinute, keysMax: peersMax, clock });
  const places = createKeyedSemaphore<string>(admitted);
  const running = createSemaphore(runningMax);
  const started = new Map<string, Promise<Found | null>>();
  let refusedUntilMs = 0;

  /** Throws where the bucket of the peer is empty. */
  function take(peer: string): void {
    if (!refusals.take(peer)) throw tooManyUnknownKeys(refusals.secondsUntilToken(peer) ?? 1);
    const seconds = refusals.secondsUntilToken(peer) ?? 0;
    refusedUntilMs = Math.max(refusedUntilMs, clock.now() + 1_000 * seconds);
  }

  async function lookUpOnce(
    peer: string,
    find: () => Promise<Found | null>,
  ): Promise<Found | null> {
    const place = places.acquire(peer);
    if (place.result !== 'granted') throw tooManyUnknownKeys(1);
    try {
      take(peer);
      const found = await running.run(find);
      if (found !== null) refusals.putBack(peer);
      return found;
    } finally {
      place.release();
    }
  }

  return {
    isRefusing: () => clock.now() < refusedUntilMs,
    secondsRefused: refusals.secondsUntilToken,
    async lookUp(peer, digest, find) {
      const id = `${digest}/${peer}`;
      let lookUp = started.get(id);
      if (lookUp === undefined) {
        lookUp = lookUpOnce(peer, find).finally(() => started.delete(id));
        started.set(id, lookUp);
      }
      return await lookUp;
    },
  };
}

export function tooManyUnknownKeys(seconds: number): Refused {
  return new Refused({
    code: 'rate_limit_exceeded',
    detail: { limit: 'unknown_keys' },
    retry_after_seconds: seconds,
  });
}
