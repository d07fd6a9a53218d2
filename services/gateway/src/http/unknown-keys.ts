import { Refused } from '@inventory/http/refused';
import { createBatcher } from '@inventory/runtime/concurrency';
import { createKeyedSemaphore } from '@inventory/runtime/semaphore';
import { createPeerBuckets, type PeerBucketsOptions } from './peer-buckets.ts';

/** Look-ups at a time share a command of the store; those that wait are a few more commands. */
const lookUps = { itemsMax: 50, waitingMax: 1_000 };
/** Of these each client without recent misses has some, apart from what others send. */
const reserved = { perKeyMax: 8, totalMax: lookUps.waitingMax };

export type UnknownKeys<Found> = ReturnType<typeof createUnknownKeys<Found>>;

/**
 * Bounds what keys cost that no Credential is known to have: each is a majority read of the store.
 *
 * A client has a bucket of misses: a key that does not exist takes one, a key that exists takes none,
 * nor does a look-up that fails. Each is reserved meanwhile, so no more are looked up than may miss.
 * Keys that are known do not come here.
 */
export function createUnknownKeys<Found>(options: PeerBucketsOptions) {
  const misses = createPeerBuckets(options);
  const places = createKeyedSemaphore<string>(reserved);
  const [ofReserve, ofOthers] = [createLookUps<Found | null>(), createLookUps<Found | null>()];
  const started = new Map<string, Promise<Found | null>>();

  /** Why no unknown key of the client is to be looked up now; null where they are. */
  function refusalOf(clientAddress: string): Refused | null {
    const seconds = misses.secondsUntilToken(clientAddress);
    if (seconds === null) return null;
    // The store responds slowly: whether the keys exist is not known.
    if (misses.isUndecided(clientAddress)) {
      return new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
    }
    return new Refused({
      code: 'rate_limit_exceeded',
      detail: { limit: 'unknown_keys' },
      retry_after_seconds: seconds,
    });
  }

  async function lookUpOnce(
    clientAddress: string,
    find: () => Promise<Found | null>,
  ): Promise<Found | null> {
    const place = misses.isFull(clientAddress) ? places.acquire(clientAddress) : null;
    const isReserved = place?.result === 'granted';
    let isTaken = false;
    try {
      const found = await (isReserved ? ofReserve : ofOthers)(find);
      isTaken = found === null;
      return found;
    } finally {
      misses.settle(clientAddress, isTaken);
      if (isReserved) place.release();
    }
  }

  return {
    refusalOf,
    /**
     * Runs a look-up; null means that the key does not exist. Requests with the same key, here by its
     * digest, share one look-up. Rejects as the look-up does, with its refusal, and with `BatcherFull`.
     */
    async lookUp(
      clientAddress: string,
      digest: string,
      find: () => Promise<Found | null>,
    ): Promise<Found | null> {
      const id = `${digest}/${clientAddress}`;
      let lookUp = started.get(id);
      if (lookUp === undefined) {
        const refusal = refusalOf(clientAddress);
        if (refusal !== null) throw refusal;
        misses.reserve(clientAddress);
        lookUp = lookUpOnce(clientAddress, find).finally(() => started.delete(id));
        started.set(id, lookUp);
      }
      return await lookUp;
    },
  };
}

/** Runs look-ups in turn, those that come together at a time; each fails alone. */
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
