import { invariant } from './bug.ts';

/** Grants a number of permits at a time; further requests wait in their order. */
export interface Semaphore {
  /**
   * Resolves to the release of one permit. Releasing it again has no effect. Rejects with the reason
   * of the signal when it is aborted first: the request waits no longer. Rejects at once with
   * {@link SemaphoreFull} when as many wait as may.
   */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** Runs `work` under a permit; resolves or rejects with it. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export class SemaphoreFull extends Error {
  override name = 'SemaphoreFull';
}

export function createSemaphore(permits: number, waitingMax = Number.POSITIVE_INFINITY): Semaphore {
  invariant(permits >= 1, 'a semaphore without permits would never grant one');
  const waiting = new Set<() => void>();
  let free = permits;

  // A permit passes to the first that waits; it becomes free only when none does.
  function pass(): void {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  }

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(grant);
        signal?.removeEventListener('abort', abandon);
      };
      const grant = () => {
        leave();
        resolve();
      };
      const abandon = () => {
        leave();
        reject(signal?.reason);
      };
      waiting.add(grant);
      signal?.addEventListener('abort', abandon);
    });
  }

  async function acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else if (waiting.size >= waitingMax) throw new SemaphoreFull(`${waiting.size} wait already`);
    else await wait(signal);
    return once(pass);
  }

  return {
    acquire,
    async run(work) {
      const release = await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

export type SemaphorePerKey<Key> = ReturnType<typeof createSemaphorePerKey<Key>>;

/** A semaphore for each key: work waits for that of its own key alone. */
export function createSemaphorePerKey<Key>(permits: number, waitingMax: number) {
  const ofKeys = new Map<Key, { readonly semaphore: Semaphore; users: number }>();
  return {
    /** Runs `work` under a permit of the key; rejects as {@link Semaphore.acquire} does. */
    async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
      const own = ofKeys.get(key) ?? { semaphore: createSemaphore(permits, waitingMax), users: 0 };
      ofKeys.set(key, own);
      own.users += 1;
      try {
        return await own.semaphore.run(work);
      } finally {
        own.users -= 1;
        if (own.users === 0) ofKeys.delete(key);
      }
    },
  };
}

export interface KeyedLimits {
  readonly perKeyMax: number;
  readonly totalMax: number;
}

export type KeyedPermit =
  | { readonly result: 'granted'; readonly release: () => void }
  | { readonly result: 'key_full' | 'total_full' };

/** Grants permits up to a limit per key and one for all keys; refuses beyond them at once. */
export interface KeyedSemaphore<Key> {
  /** The release is to be called whatever happens; calling it again has no effect. */
  acquire(key: Key): KeyedPermit;
  readonly limits: KeyedLimits;
  /** Permits held now, of all keys. */
  readonly held: number;
}

export function createKeyedSemaphore<Key>(limits: KeyedLimits): KeyedSemaphore<Key> {
  const heldOf = new Map<Key, number>();
  let held = 0;

  function release(key: Key): void {
    held -= 1;
    const left = (heldOf.get(key) ?? 1) - 1;
    if (left === 0) heldOf.delete(key);
    else heldOf.set(key, left);
  }

  return {
    limits,
    acquire(key) {
      const own = heldOf.get(key) ?? 0;
      if (held >= limits.totalMax) return { result: 'total_full' };
      if (own >= limits.perKeyMax) return { result: 'key_full' };
      held += 1;
      heldOf.set(key, own + 1);
      return { result: 'granted', release: once(() => release(key)) };
    },
    get held() {
      return held;
    },
  };
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
