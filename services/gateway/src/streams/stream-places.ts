import type { ProjectId } from '@inventory/contracts/ids';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { DeadlineExceeded, withDeadline } from '@inventory/runtime/wait';
import type { ClosingReason } from './event-frame.domain.ts';
import { createLostReplicaRemoval, type LostReplicaDeps } from './lost-replicas.ts';
import type { PlaceToRemove, StreamPlace, StreamPlaceStore } from './stream-place-store.ts';
import type { StreamReplicaStore } from './stream-replica-store.ts';

/** A place of this replica, acquired for one stream. */
export interface HeldPlace {
  /** Calls back once when the stream must end: its place may be given away. */
  onLost(callback: (reason: ClosingReason) => void): void;
  /** To be called once, when the stream is closed. */
  release(): void;
}

export type PlaceResult =
  | { readonly result: 'granted'; readonly place: HeldPlace }
  | { readonly result: 'project_full' | 'unavailable' };

/**
 * The places of streams: at most so many in a Project over all replicas. A place is an element of
 * its Project's document, so one atomic write takes it. It is held while the document of its replica
 * exists, which one write per replica and renewal keeps; a replica that does not renew is removed by
 * another one, and its places with it.
 */
export interface StreamPlaces {
  /** A Project is full until one of its streams ends: none makes room for another. */
  acquire(projectId: ProjectId): Promise<PlaceResult>;
  /** Renews this replica; removes lost replicas. */
  renew(): Promise<void>;
  /** Removes the released places from the store. */
  flushReleased(): Promise<void>;
  /** Frees all places of this replica. */
  close(): Promise<void>;
}

export interface StreamPlacesDeps extends LostReplicaDeps {
  readonly places: StreamPlaceStore;
  readonly replicas: StreamReplicaStore;
  readonly limits: {
    readonly perProjectMax: number;
    /** Streams of this replica. */
    readonly totalMax: number;
    readonly acquireMs: number;
  };
  readonly identifiers: Identifiers;
  /** There are released places to flush. */
  readonly onReleased: () => void;
}

/** Other replicas may acquire and release meanwhile. */
const attemptsMax = 10;
const removedAtOnce = 500;

export function createStreamPlaces(deps: StreamPlacesDeps): StreamPlaces {
  const { places, replicas, limits, identifiers } = deps;
  const { perProjectMax, totalMax } = limits;
  /** Those of this replica, from before they are stored until they are released. */
  const held = new Map<string, LosablePlace>();
  const released = createReleasedPlaces(places);
  const removeLost = createLostReplicaRemoval(deps);
  let replica: string | null = null;

  /** Places without a stream: of a lost replica, or released and not yet removed. */
  async function listAbandoned(taken: readonly StreamPlace[]): Promise<StreamPlace[]> {
    const present = new Set((await replicas.list()).map((one) => one.replica));
    return taken.filter((one) =>
      one.replica === replica ? !held.has(one.id) : !present.has(one.replica),
    );
  }

  async function store(projectId: ProjectId, place: StreamPlace): Promise<boolean> {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      if (await places.add(projectId, place, perProjectMax)) return true;
      const taken = await places.list(projectId);
      const abandoned = await listAbandoned(taken);
      if (abandoned.length === 0 && taken.length >= perProjectMax) return false;
      await places.remove(abandoned.map(({ id }) => ({ projectId, id })));
    }
    throw new DeadlineExceeded('the places of a Project changed too often to acquire one');
  }

  function release(projectId: ProjectId, id: string): void {
    if (!held.delete(id)) return;
    released.add({ projectId, id });
    deps.onReleased();
  }

  /** The places of this replica may be given away at any time. */
  function loseAll(): void {
    replica = null;
    for (const one of held.values()) one.lose('unavailable');
  }

  async function register(): Promise<void> {
    const id = identifiers.uuidV7();
    await replicas.register(id);
    replica = id;
  }

  return {
    async acquire(projectId) {
      if (replica === null || held.size >= totalMax) return { result: 'unavailable' };
      const stored = { id: identifiers.uuidV7(), replica };
      const place = new LosablePlace(() => release(projectId, stored.id));
      held.set(stored.id, place);
      const storing = store(projectId, stored);
      try {
        const isStored = await withDeadline(storing, limits.acquireMs, 'acquiring a place');
        if (isStored) return { result: 'granted', place };
        held.delete(stored.id);
        return { result: 'project_full' };
      } catch (error) {
        // It may be stored all the same, and even later.
        storing.then(place.release, place.release);
        throw error;
      }
    },
    async renew() {
      if (replica === null) return register();
      if (!(await replicas.renew(replica))) {
        loseAll();
        return register();
      }
      await removeLost(replica);
    },
    flushReleased: released.flush,
    async close() {
      if (replica !== null) await replicas.remove(replica);
    },
  };
}

/** Released places, until they are removed from the store. */
function createReleasedPlaces(places: Pick<StreamPlaceStore, 'remove'>) {
  const waiting: PlaceToRemove[] = [];
  return {
    add: (place: PlaceToRemove) => void waiting.push(place),
    async flush(): Promise<void> {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, removedAtOnce);
        try {
          await places.remove(batch);
        } catch (error) {
          waiting.push(...batch);
          throw error;
        }
      }
    },
  };
}

const notFollowed = () => {};

class LosablePlace implements HeldPlace {
  readonly release: () => void;
  #lost: ClosingReason | null = null;
  #onLost: (reason: ClosingReason) => void = notFollowed;

  constructor(release: () => void) {
    this.release = release;
  }

  onLost(callback: (reason: ClosingReason) => void): void {
    this.#onLost = callback;
    if (this.#lost) callback(this.#lost);
  }

  lose(reason: ClosingReason): void {
    if (this.#lost) return;
    this.#lost = reason;
    this.#onLost(reason);
  }
}
