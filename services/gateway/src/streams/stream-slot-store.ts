import type { ProjectId } from '@inventory/contracts/ids';
import { readStoreTime } from '@inventory/mongo/connect';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { retryOnce } from '@inventory/mongo/many-documents';
import { parseDocument } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { createBatcher } from '@inventory/runtime/concurrency';
import { createLeases, freeAt, type Leases, type WithLease } from '@inventory/work/lease';
import type { Db } from 'mongodb';
import { z } from 'zod';

/** The slot of one open stream in its Project. */
export interface StoredSlot {
  readonly id: string;
  /** The replica that holds the stream. */
  readonly replica: string;
}

export interface SlotToRemove {
  readonly projectId: ProjectId;
  readonly id: string;
}

const slot = z.object({ id: z.string(), replica: z.string() });
const documents = {
  collection: 'stream_slots',
  /** `_id` is the Project. */
  schema: z.object({ _id: z.string(), slots: z.array(slot), changedAt: z.date() }),
};
type SlotsDocument = z.infer<typeof documents.schema>;

const replicasCollection = 'stream_replicas';
const dayInSeconds = 24 * 3_600;

export const slotIndexes: readonly CollectionIndexes[] = [
  {
    collection: documents.collection,
    shardKey: { _id: 1 },
    indexes: [
      {
        name: 'unused',
        keys: { changedAt: 1 },
        // More than a stream can last.
        options: { expireAfterSeconds: 400 * dayInSeconds },
      },
    ],
  },
  {
    collection: replicasCollection,
    indexes: [
      {
        name: 'lost',
        keys: { 'lease.until': 1 },
        options: { expireAfterSeconds: dayInSeconds },
      },
    ],
  },
];

interface SlotToAdd {
  readonly projectId: ProjectId;
  readonly added: StoredSlot;
  readonly slotsMax: number;
}

type ReplicaLeases = Pick<Leases<WithLease>, 'acquire' | 'renew' | 'release'>;

const slotsPerWrite = 100;
const hasFreeSlot = (slotsMax: number) => ({ [`slots.${slotsMax - 1}`]: { $exists: false } });

export type SlotStore = ReturnType<typeof createSlotStore>;

/**
 * The slots of each Project, one document with at most `slotsMax` of them, and the replicas that hold
 * them, one leased document each. A slot is taken as long as the document of its replica exists.
 *
 * Each operation is one atomic write of one document; its filter decides. Streams that open together,
 * as after the loss of a replica, share a command.
 */
export function createSlotStore(db: Db, leaseMs: number) {
  const collection = db.collection<SlotsDocument>(documents.collection);
  const replicas = db.collection<WithLease>(replicasCollection);
  const leases: ReplicaLeases = createLeases(replicas, leaseMs, 'deleted');
  const additions = createBatcher<SlotToAdd, boolean>({
    ...sharedCommands,
    itemsMax: slotsPerWrite,
    async flush(slots) {
      const added = await addSlots(slots);
      const refused = slots.filter((_slot, index) => !added[index]);
      if (refused.length === 0) return added;
      // Another replica may have inserted the document meanwhile; else its filter does not match it.
      const again = new Map((await addSlots(refused)).map((isAdded, at) => [refused[at], isAdded]));
      return slots.map((slot) => again.get(slot) ?? true);
    },
  });

  async function addSlots(slots: readonly SlotToAdd[]): Promise<boolean[]> {
    const writes = slots.map(({ projectId: _id, added, slotsMax }) => ({
      updateOne: {
        // Also where it was added already, by a write whose response was lost.
        filter: { _id, $or: [hasFreeSlot(slotsMax), { 'slots.id': added.id }] },
        update: { $addToSet: { slots: { ...added } }, $currentDate: { changedAt: true as const } },
        upsert: true,
      },
    }));
    const refused = await refusedWrites(collection.bulkWrite(writes, { ordered: false }));
    return slots.map((_slot, index) => !refused.has(index));
  }

  return {
    replicas: leases,
    /** Deletes those of the replicas whose lease has expired; resolves with the others. */
    async presentOf(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const _id = { $in: [...new Set(ids)] };
      const lost = { _id, ...freeAt(await readStoreTime(db)) };
      await retryOnce(() => replicas.deleteMany(lost));
      const present = await replicas.find({ _id }, { projection: { _id: 1 } }).toArray();
      return new Set(present.map((one) => one._id));
    },
    /** False when the Project has no free slot. */
    add: (projectId: ProjectId, added: StoredSlot, slotsMax: number): Promise<boolean> =>
      additions.add({ projectId, added, slotsMax }),
    async list(projectId: ProjectId): Promise<readonly StoredSlot[]> {
      // The newest state, committed or not: a stale one would cause a conflict.
      const found = await collection.findOne(
        { _id: projectId },
        { readConcern: { level: 'local' } },
      );
      return found === null ? [] : parseDocument(documents, found).slots;
    },
    async remove(slots: readonly SlotToRemove[]): Promise<void> {
      const ofProjects = Map.groupBy(slots, ({ projectId }) => projectId);
      const writes = [...ofProjects].map(([_id, removed]) => ({
        updateOne: {
          filter: { _id },
          update: { $pull: { slots: { id: { $in: removed.map(({ id }) => id) } } } },
        },
      }));
      if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
    },
  };
}
