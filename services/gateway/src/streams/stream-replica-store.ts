import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { parseDocument } from '@inventory/mongo/parse-document';
import type { Db } from 'mongodb';
import { z } from 'zod';

export interface ReplicaRenewals {
  readonly replica: string;
  /** Increases while the replica is running. */
  readonly renewals: number;
}

/** The replicas that hold streams: a place is taken as long as the document of its replica exists. */
export interface StreamReplicaStore {
  register(replica: string): Promise<void>;
  /**
   * Counts one more renewal and deletes the acknowledged ids. Returns the places of the replica that
   * were given to other streams; null when another replica removed this one.
   */
  renew(replica: string, acknowledged: readonly string[]): Promise<readonly string[] | null>;
  /** Makes the replica end the stream of this place; false when the replica was removed. */
  supersede(replica: string, placeId: string): Promise<boolean>;
  list(): Promise<readonly ReplicaRenewals[]>;
  /** Removes a replica that has not renewed since this count; without one, whatever its count. */
  remove(replica: string, renewals?: number): Promise<void>;
}

const collectionName = 'stream_replicas';

export const streamReplicaIndexes: CollectionIndexes = { collection: collectionName, indexes: [] };

const documents = {
  collection: collectionName,
  /** `_id` is the replica; a replica that was removed returns under another id. */
  schema: z.object({ _id: z.string(), renewals: z.int(), superseded: z.array(z.string()) }),
};
type ReplicaDocument = z.infer<typeof documents.schema>;

export function createStreamReplicaStore(db: Db): StreamReplicaStore {
  const collection = db.collection<ReplicaDocument>(collectionName);

  return {
    async register(replica) {
      await collection.insertOne({ _id: replica, renewals: 0, superseded: [] });
    },
    async renew(replica, acknowledged) {
      const renewed = await collection.findOneAndUpdate(
        { _id: replica },
        { $inc: { renewals: 1 }, $pull: { superseded: { $in: [...acknowledged] } } },
        { returnDocument: 'after' },
      );
      return renewed && parseDocument(documents, renewed).superseded;
    },
    async supersede(replica, placeId) {
      const added = await collection.updateOne(
        { _id: replica },
        { $push: { superseded: placeId } },
      );
      return added.matchedCount === 1;
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
