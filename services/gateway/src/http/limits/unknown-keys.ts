import { Refused } from '@inventory/http/refused';
import { createBatcher } from '@inventory/runtime/concurrency';
import { createKeyedSemaphore } from '@inventory/runtime/semaphore';
import { unknownKeysRefused } from '../../metrics.ts';
import type { PeerBuckets } from './peer-buckets.ts';

/** Lookups that share a command of the store. Each waits in a request, so connections bound them. */
const lookUps = { itemsMax: 50, waitingMax: 100_000 };
/** Of these each client without recent misses has some, apart from what others send. */
const reserved = { perKeyMax: 8, totalMax: 1_000 };

export type UnknownKeys<Found> = ReturnType<typeof createUnknownKeys<Found>>;

/**
 * Bounds what the keys cost that a replica has not seen: each is a majority read of the store, whether
 * it exists or was made up.
 *
 * Lookups share commands, and two commands run at a time, one of them for clients without a recent
 * miss. So a flood makes its own lookups wait, for as long as its connections have keys, and no key
 * that exists is refused. A client has a bucket of misses: a key that does not exist takes one, and is
 * refused as one of too many where there is none. Keys that were seen do not come here.
 */
export function createUnknownKeys<Found>(misses: PeerBuckets) {
  const slots = createKeyedSemaphore<string>(reserved);
  const [ofReserve, ofOthers] = [createLookUps<Found | null>(), createLookUps<Found | null>()];
  const started = new Map<string, Promise<Found | null>>();

  async function find(
    clientAddress: string,
    findOne: () => Promise<Found | null>,
  ): Promise<Found | null> {
    const slot = misses.isFull(clientAddress) ? slots.acquire(clientAddress) : null;
    if (slot?.result !== 'granted') return await ofOthers(findOne);
    return await ofReserve(findOne).finally(slot.release);
  }

  async function lookUpOnce(
    clientAddress: string,
    findOne: () => Promise<Found | null>,
  ): Promise<Found | null> {
    const found = await find(clientAddress, findOne);
    if (found !== null || misses.take(clientAddress)) return found;
    unknownKeysRefused.add(1);
    throw new Refused({
      code: 'rate_limit_exceeded',
      detail: { limit: 'unknown_keys', limit_per_minute: misses.perMinute },
      retry_after_seconds: misses.secondsUntilToken(clientAddress) ?? 1,
    });
  }

  return {
    /** Whether the next miss of the client is one too many. */
    isPastLimit: (clientAddress: string): boolean =>
      misses.secondsUntilToken(clientAddress) !== null,
    /**
     * Runs a lookup; null means that the key does not exist. Requests with the same key, here by its
     * digest, share one lookup. Rejects as the lookup does, and with {@link Refused} where the key
     * does not exist and is one of too many.
     */
    async lookUp(
      clientAddress: string,
      digest: string,
      findOne: () => Promise<Found | null>,
    ): Promise<Found | null> {
      const id = `${digest}/${clientAddress}`;
      let lookUp = started.get(id);
      if (lookUp === undefined) {
        lookUp = lookUpOnce(clientAddress, findOne).finally(() => started.delete(id));
        started.set(id, lookUp);
      }
      return await lookUp;
    },
  };
}

/** Runs lookups in batches, one after the other; each fails alone. */
function createLookUps<Found>() {
  const batcher = createBatcher<() => Promise<Found>, PromiseSettledResult<Found>>({
    ...lookUps,
    flush: (finds) => Promise.allSettled(finds.map((find) => find())),
  });
  return async (find: () => Promise<Found>): Promise<Found> => {
    const settled = await batcher.add(find);
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  };
}
