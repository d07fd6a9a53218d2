import { type Clock, dateOf } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { ReplicaDocument } from '../collections.ts';

/** The replicas of this service that run. */
export interface Replicas {
  readonly count: number;
  /** Live pages that all of them were asked for in the last minute. */
  readonly livePagesPerMinute: number;
}

/** Which replicas of this service run, and what they are asked for. */
export interface ReplicaStore {
  /** Records that this replica runs; repeated every second. */
  announce(livePagesPerMinute: number): Promise<void>;
  all(): Promise<Replicas>;
  leave(): Promise<void>;
}

const silenceMaxMs = 5_000;

export function createReplicaStore(
  collection: Collection<ReplicaDocument>,
  replica: string,
  clock: Clock,
): ReplicaStore {
  return {
    async announce(livePagesPerMinute) {
      const $set = { seenAt: dateOf(clock.now()), livePagesPerMinute };
      await collection.updateOne({ _id: replica }, { $set }, { upsert: true });
    },
    async all() {
      const seenAfter = dateOf(clock.now() - silenceMaxMs);
      const found = await collection.find({ seenAt: { $gt: seenAfter } }).toArray();
      return {
        count: Math.max(1, found.length),
        livePagesPerMinute: found.reduce((sum, one) => sum + one.livePagesPerMinute, 0),
      };
    },
    async leave() {
      await collection.deleteOne({ _id: replica });
    },
  };
}
