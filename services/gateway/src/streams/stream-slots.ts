import type { ProjectId } from '@inventory/contracts/ids';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { DeadlineExceeded, withDeadline } from '@inventory/runtime/wait';
import type { SlotStore, SlotToRemove, StoredSlot } from './stream-slot-store.ts';

interface SlotLimits {
  readonly perProjectMax: number;
  /** Streams of this replica. */
  readonly totalMax: number;
  readonly acquireMs: number;
}

/** Other replicas may acquire and release meanwhile. */
const attemptsMax = 10;
const removedAtOnce = 500;

export type StreamSlots = ReturnType<typeof createStreamSlots>;

/**
 * Stream slots: at most so many in a Project over all replicas. A slot is an element of its
 * Project's document, so one atomic write takes it. It is held under the lease of its replica, one
 * write per replica and renewal. One that was not renewed ends where a full Project needs the slot.
 */
export function createStreamSlots(
  store: SlotStore,
  { perProjectMax, totalMax, acquireMs }: SlotLimits,
  identifiers: Identifiers,
  /** There are released slots to flush. */
  onReleased: () => void,
) {
  /** Those of this replica, from before they are stored until they are released. */
  const held = new Map<string, StreamSlot>();
  const released: SlotToRemove[] = [];
  /** Of one holding: slots of an earlier one never become valid again. */
  let replica: string | null = null;

  const leaseOf = (id: string) => ({ id, owner: id });

  /** Slots without a stream: of a lost replica, or released and not yet removed. */
  async function listAbandoned(taken: readonly StoredSlot[]): Promise<StoredSlot[]> {
    const own = replica;
    const others = taken.flatMap((one) => (one.replica === own ? [] : [one.replica]));
    const present = await store.presentOf(others);
    return taken.filter((one) =>
      one.replica === own ? !held.has(one.id) : !present.has(one.replica),
    );
  }

  async function take(projectId: ProjectId, slot: StoredSlot): Promise<boolean> {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      if (await store.add(projectId, slot, perProjectMax)) return true;
      const taken = await store.list(projectId);
      const abandoned = await listAbandoned(taken);
      if (abandoned.length === 0 && taken.length >= perProjectMax) return false;
      await store.remove(abandoned.map(({ id }) => ({ projectId, id })));
    }
    throw new DeadlineExceeded('the slots of a Project changed too often to acquire one');
  }

  function release(slot: SlotToRemove): void {
    if (!held.delete(slot.id)) return;
    released.push(slot);
    onReleased();
  }

  return {
    /** A Project is full until one of its streams ends: none ends for another. */
    async acquire(projectId: ProjectId): Promise<StreamSlot | 'project_full' | 'unavailable'> {
      if (replica === null || held.size >= totalMax) return 'unavailable';
      const stored = { id: identifiers.uuidV7(), replica };
      const slot = new StreamSlot(projectId, stored.id, release);
      held.set(stored.id, slot);
      const taking = take(projectId, stored);
      try {
        if (await withDeadline(taking, acquireMs, 'acquiring a stream slot')) return slot;
        held.delete(stored.id);
        return 'project_full';
      } catch (error) {
        // It may be stored all the same, and even later.
        const giveUp = () => slot.release();
        taking.then(giveUp, giveUp);
        throw error;
      }
    },
    /** Renews the lease of this replica; the first time acquires it. */
    async renew(): Promise<void> {
      if (replica !== null) {
        if (await store.replicas.renew(leaseOf(replica))) return;
        replica = null;
        for (const slot of held.values()) slot.lose();
      }
      const id = identifiers.uuidV7();
      if ((await store.replicas.acquire(leaseOf(id))) !== null) replica = id;
    },
    /** Removes the released slots from the store. */
    async flushReleased(): Promise<void> {
      while (released.length > 0) {
        const batch = released.splice(0, removedAtOnce);
        try {
          await store.remove(batch);
        } catch (error) {
          released.push(...batch);
          throw error;
        }
      }
    },
    /** Frees all slots of this replica. */
    async close(): Promise<void> {
      if (replica !== null) await store.replicas.release(leaseOf(replica));
    },
  };
}

const notFollowed = () => {};

/** A slot of this replica, acquired for one stream. */
export class StreamSlot {
  readonly projectId: ProjectId;
  readonly id: string;
  readonly #release: (slot: StreamSlot) => void;
  #isLost = false;
  #onLost = notFollowed;

  constructor(projectId: ProjectId, id: string, release: (slot: StreamSlot) => void) {
    this.projectId = projectId;
    this.id = id;
    this.#release = release;
  }

  /** Calls back once when the stream must end: its slot may be given away. */
  onLost(callback: () => void): void {
    this.#onLost = callback;
    if (this.#isLost) callback();
  }

  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#onLost();
  }

  /** To be called once, when the stream is closed. */
  release(): void {
    this.#release(this);
  }
}
