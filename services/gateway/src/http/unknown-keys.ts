import { createBatcher } from '@inventory/runtime/concurrency';
import { createKeyedSemaphore } from '@inventory/runtime/semaphore';
import { createPeerBuckets, type PeerBucketsOptions } from './peer-buckets.ts';

/** Bounds what keys cost that no Credential is known to have: each is a majority read of the store. */
export interface UnknownKeys<Found> {
  /** Seconds for which no unknown key of the client is to be looked up; null where they are. */
  secondsRefused(clientAddress: string): number | null;
  /**
   * Runs a look-up; null means that the key does not exist. Requests with the same key, here by its
   * digest, share one look-up. Rejects as the look-up does, and with `BatcherFull`.
   */
  lookUp(
    clientAddress: string,
    digest: string,
    find: () => Promise<Found | null>,
  ): Promise<Found | null>;
}

/** Look-ups at a time share a command of the store; those that wait are a few more commands. */
const lookUps = { itemsMax: 50, waitingMax: 1_000 };
/** Of these each client without recent misses has some, apart from what others send. */
const reserved = { perKeyMax: 8, totalMax: lookUps.waitingMax };

/**
 * A client has a bucket of misses: a key that does not exist takes one, a key that exists takes none,
 * nor does a look-up that fails. Keys that are known do not come here.
 */
export function createUnknownKeys<Found>(options: PeerBucketsOptions): UnknownKeys<Found> {
  const misses = createPeerBuckets(options);
  const places = createKeyedSemaphore<string>(reserved);
  const [ofReserve, ofOthers] = [createLookUps<Found | null>(), createLookUps<Found | null>()];
  const started = new Map<string, Promise<Found | null>>();

  async function lookUpOnce(
    clientAddress: string,
    find: () => Promise<Found | null>,
  ): Promise<Found | null> {
    const place = misses.isFull(clientAddress) ? places.acquire(clientAddress) : null;
    const isReserved = place?.result === 'granted';
    try {
      const found = await (isReserved ? ofReserve : ofOthers)(find);
      if (found === null) misses.take(clientAddress);
      return found;
    } finally {
      if (isReserved) place.release();
    }
  }

  return {
    secondsRefused: misses.secondsUntilToken,
    async lookUp(clientAddress, digest, find) {
      const id = `${digest}/${clientAddress}`;
      let lookUp = started.get(id);
      if (lookUp === undefined) {
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
