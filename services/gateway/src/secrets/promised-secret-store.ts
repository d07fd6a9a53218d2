import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import { z } from 'zod';

const collectionName = 'promised_secrets';

export const promisedSecretIndexes: CollectionIndexes = {
  collection: collectionName,
  shardKey: { _id: 1 },
  indexes: [{ name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } }],
};

/** What a request under an Idempotency-Key is about to issue; the same request again issues the same. */
const promise = z.object({
  /** Digest of the inputs. */
  inputs: z.string(),
  /** Of what the secret belongs to. */
  ownerId: z.string(),
  /** With it, the Idempotency-Key and a key of this service the secret is derived: it is not stored. */
  salt: z.string(),
  /** Of the secret. */
  digest: z.string(),
  /** Whether it is known to be issued. */
  isKept: z.boolean(),
  expiresAtMs: z.number(),
});
export type SecretPromise = Readonly<z.infer<typeof promise>>;

/** `_id` is the digest of what the key is of and the key: the only unique value, immutable. */
const documents = { collection: collectionName, schema: promise };
type PromiseDocument = SecretPromise & { readonly _id: string; readonly expireAt: Date };

export type PromisedSecretStore = ReturnType<typeof createPromisedSecretStore>;

/** The secrets that are promised under Idempotency-Keys. */
export function createPromisedSecretStore(db: Db, deadlines: { readonly lookUpMs: number }) {
  const collection = db.collection<PromiseDocument>(collectionName);
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'looking up an Idempotency-Key');

  return {
    async findPromise(keyId: string): Promise<SecretPromise | null> {
      const found = await bounded(collection.findOne({ _id: keyId }));
      return found && parseDocument(documents, found);
    },
    /** False when the key has a promise. */
    async insertPromise(keyId: string, made: SecretPromise): Promise<boolean> {
      try {
        const expireAt = dateOf(made.expiresAtMs);
        await bounded(collection.insertOne({ _id: keyId, ...made, expireAt }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async markKept(keyId: string, digest: string): Promise<void> {
      await bounded(collection.updateOne({ _id: keyId, digest }, { $set: { isKept: true } }));
    },
    /** Deletes one that has expired; its key can be used again. */
    async deletePromise(keyId: string, digest: string): Promise<void> {
      await bounded(collection.deleteOne({ _id: keyId, digest }));
    },
  };
}
