import type { RequestId } from '@inventory/contracts/ids';
import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import { type ReadKeyRecord, readKey } from './read-key.domain.ts';

const collectionName = 'page_read_keys';

export const readKeyIndexes: CollectionIndexes = {
  collection: collectionName,
  shardKey: { _id: 1 },
  indexes: [{ name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } }],
};

/** `_id` is the digest of Project, route and key: the only unique value, immutable. */
const documents = {
  collection: collectionName,
  schema: readKey,
};
type ReadKeyDocument = ReadKeyRecord & { readonly _id: string; readonly expireAt: Date };

export type ReadKeyStore = ReturnType<typeof createReadKeyStore>;

/** The Idempotency-Keys of page reads. Every change names its attempt. */
export function createReadKeyStore(db: Db, deadlines: { readonly lookUpMs: number }) {
  const collection = db.collection<ReadKeyDocument>(collectionName);
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'looking up an Idempotency-Key');

  return {
    /** Inserts an open key; false when it exists. */
    async openKey(keyId: string, fresh: ReadKeyRecord): Promise<boolean> {
      const expireAt = dateOf(fresh.expiresAtMs);
      try {
        await bounded(collection.insertOne({ _id: keyId, ...fresh, expireAt }));
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // By a first execution of this very insert, whose response was lost.
        const own = { _id: keyId, requestId: fresh.requestId };
        return (await bounded(collection.findOne(own, { projection: { _id: 1 } }))) !== null;
      }
    },
    async findKey(keyId: string): Promise<ReadKeyRecord | null> {
      const found = await bounded(collection.findOne({ _id: keyId }));
      return found && parseDocument(documents, found);
    },
    /** Stores what the attempt is about to pay for. */
    async pinKey(keyId: string, requestId: RequestId, pin: string): Promise<void> {
      await bounded(collection.updateOne({ _id: keyId, requestId }, { $set: { pin } }));
    },
    /** Counts one more replay; false after a conflict with another request. */
    async countReplay(keyId: string, { requestId, replays }: ReadKeyRecord): Promise<boolean> {
      const counted = await bounded(
        collection.updateOne(
          { _id: keyId, requestId, state: 'paid', replays },
          { $set: { replays: replays + 1 } },
        ),
      );
      return counted.modifiedCount === 1;
    },
    /** Reverts the count of a replay that returned no page. */
    async uncountReplay(keyId: string, requestId: RequestId): Promise<void> {
      const filter = { _id: keyId, requestId, replays: { $gt: 0 } };
      await bounded(collection.updateOne(filter, { $inc: { replays: -1 } }));
    },
    /** Marks the attempt as delivered: further reads with the key are free. */
    async markPaid(keyId: string, requestId: RequestId): Promise<void> {
      await bounded(collection.updateOne({ _id: keyId, requestId }, { $set: { state: 'paid' } }));
    },
    /** Deletes the key of an attempt that is charged nothing: it can be used again. */
    async releaseKey(keyId: string, requestId: RequestId): Promise<void> {
      await bounded(collection.deleteOne({ _id: keyId, requestId }));
    },
  };
}
