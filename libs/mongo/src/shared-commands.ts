import { type Batcher, createBatcher } from '@inventory/runtime/concurrency';
import type { Collection, Filter, FindOptions, WithId } from 'mongodb';
import { refusedWrites } from './duplicate-key.ts';

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
