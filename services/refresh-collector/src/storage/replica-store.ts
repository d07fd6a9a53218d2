import type { Clock } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { ReplicaDocument } from './collections.ts';

/** Which replicas of this service live. */
export interface ReplicaStore {
  /** Says that this one lives, and how many do. */
  announce(): Promise<number>;
  leave(): Promise<void>;
}

const silenceMaxMs = 5_000;

export function createReplicaStore(
  collection: Collection<ReplicaDocument>,
  replica: string,
  clock: Clock,
): ReplicaStore {
  return {
    async announce() {
      const now = clock.now();
      const seenAt = new Date(now);
      await collection.updateOne({ _id: replica }, { $set: { seenAt } }, { upsert: true });
      return collection.countDocuments({ seenAt: { $gt: new Date(now - silenceMaxMs) } });
    },
    async leave() {
      await collection.deleteOne({ _id: replica });
    },
  };
}
