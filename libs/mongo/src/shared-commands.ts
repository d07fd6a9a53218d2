import { randomUUID } from 'node:crypto';
import { type Batcher, createBatcher } from '@inventory/runtime/concurrency';
import {
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  type Filter,
  type FindOptions,
  MongoBulkWriteError,
  type WithId,
} from 'mongodb';
import { refusedWrites } from './duplicate-key.ts';
import type { TypedCollection, TypedFilter, TypedUpdate } from './typed-collection.ts';

/**
 * Settings of a batcher whose batches are commands to the store: operations that come together share
 * one. Two at a time: one that hangs does not delay the others, and more would make them smaller.
 */
export const sharedCommands = {
  flushesMax: 2,
  /** Operations of a replica that wait; each belongs to a connection or to a message. */
  waitingMax: 100_000,
} as const;

interface InsertsMany<Stored> {
  insertMany(documents: Stored[], options: { readonly ordered: false }): Promise<unknown>;
}

/**
 * Inserts of small documents. One resolves to false where a unique index refuses its document: the
 * others of its command are stored.
 */
export function createSharedInserts<Stored>(
  collection: InsertsMany<Stored>,
  itemsMax: number,
): Batcher<Stored, boolean> {
  return createBatcher<Stored, boolean>({
    ...sharedCommands,
    itemsMax,
    async flush(documents) {
      const inserted = collection.insertMany([...documents], { ordered: false });
      const refused = await refusedWrites(inserted);
      return documents.map((_document, index) => !refused.has(index));
    },
  });
}

/** Reads of documents by their id. A read begins after it was added, so it finds what was written before. */
export function createSharedReads<Stored extends { readonly _id: string }>(
  collection: Collection<Stored>,
  itemsMax: number,
  options?: FindOptions,
): Batcher<string, WithId<Stored> | null> {
  return createBatcher<string, WithId<Stored> | null>({
    ...sharedCommands,
    itemsMax,
    async flush(ids) {
      const which = { _id: { $in: [...new Set(ids)] } } as Filter<Stored>;
      const found = await collection.find(which, options).toArray();
      const byId = new Map<string, WithId<Stored>>(found.map((stored) => [stored._id, stored]));
      return ids.map((id) => byId.get(id) ?? null);
    },
  });
}

/** A change of one document where the filter holds for it. */
export interface SharedUpdate<Stored extends object> {
  readonly filter: TypedFilter<Stored> & { readonly _id: string };
  readonly update: TypedUpdate<Stored>;
}

interface Shared extends Document {
  readonly _id: string;
  /** The shared command that changed it last. */
  readonly sharedBy?: string;
}

/**
 * Conditional updates; one resolves to false where its filter does not hold, and rejects alone. The
 * server counts what a command changed and does not name it: where something was not changed, the
 * documents name the command that changed them.
 */
export function createSharedUpdates<Stored extends object>(
  documents: TypedCollection<Stored>,
  itemsMax: number,
): Batcher<SharedUpdate<Stored>, Promise<boolean>> {
  type Update = SharedUpdate<Stored>;
  const collection = documents as unknown as Collection<Shared>;
  const updateAlone = async ({ filter, update }: Update) =>
    (await documents.updateOne(filter, update)).modifiedCount === 1;

  async function eachAlone(items: readonly Update[]): Promise<Promise<boolean>[]> {
    const updates = items.map(updateAlone);
    await Promise.allSettled(updates);
    return updates;
  }

  /** Those that are known to have been changed by one command. */
  async function updateTogether(items: readonly Update[]): Promise<ReadonlySet<string>> {
    const ids = items.map(({ filter }) => filter._id);
    const sharedBy = randomUUID();
    const operations = items.map(({ filter, update }) => ({
      updateOne: { filter, update: { ...update, $set: { ...update.$set, sharedBy } } },
    })) as AnyBulkWriteOperation<Shared>[];
    try {
      const { modifiedCount } = await collection.bulkWrite(operations, { ordered: false });
      if (modifiedCount === ids.length) return new Set(ids);
    } catch (error) {
      const isOfSome = error instanceof MongoBulkWriteError && !error.result.getWriteConcernError();
      if (!isOfSome) throw error;
    }
    const changed = collection.find({ _id: { $in: ids }, sharedBy }, { projection: { _id: 1 } });
    return new Set((await changed.toArray()).map(({ _id }) => _id));
  }

  return createBatcher<Update, Promise<boolean>>({
    ...sharedCommands,
    itemsMax,
    async flush(items) {
      const areOfOne = new Set(items.map(({ filter }) => filter._id)).size < items.length;
      if (items.length === 1 || areOfOne) return await eachAlone(items);
      const changed = await updateTogether(items);
      const others = items.filter(({ filter }) => !changed.has(filter._id));
      const alone = new Map((await eachAlone(others)).map((result, at) => [others[at], result]));
      return items.map((item) => alone.get(item) ?? Promise.resolve(true));
    },
  });
}
