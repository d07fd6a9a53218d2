import type { CollectionIndexes } from '@inventory/mongo/indexes';
import type { Db } from 'mongodb';

export interface ReplicaRenewals {
  readonly replica: string;
  /** Increases while the replica is running. */
  readonly renewals: number;
}

/** The replicas that hold streams: a place is taken as long as the document of its replica exists. */
export interface StreamReplicaStore {
  register(replica: string): Promise<void>;
  /** Counts one more renewal; false when another replica removed this one. */
  renew(replica: string): Promise<boolean>;
  list(): Promise<readonly ReplicaRenewals[]>;
  /** Removes a replica that has not renewed since this count; without one, whatever its count. */
  remove(replica: string, renewals?: number): Promise<void>;
}

const collectionName = 'stream_replicas';

export const streamReplicaIndexes: CollectionIndexes = { collection: collectionName, indexes: [] };

/** `_id` is the replica; a replica that was removed returns under another id. */
type ReplicaDocument = Pick<ReplicaRenewals, 'renewals'> & { readonly _id: string };

export function createStreamReplicaStore(db: Db): StreamReplicaStore {
  const collection = db.collection<ReplicaDocument>(collectionName);

  return {
    async register(replica) {
      await collection.insertOne({ _id: replica, renewals: 0 });
    },
    async renew(replica) {
      const renewed = await collection.updateOne({ _id: replica }, { $inc: { renewals: 1 } });
      return renewed.matchedCount === 1;
    },
    async list() {
      const all = await collection.find({}, { projection: { renewals: 1 } }).toArray();
      return all.map(({ _id, renewals }) => ({ replica: _id, renewals }));
    },
    async remove(replica, renewals) {
      await collection.deleteOne({ _id: replica, ...(renewals === undefined ? {} : { renewals }) });
    },
  };
}
