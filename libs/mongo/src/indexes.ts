import type { CreateIndexesOptions, Db, IndexSpecification } from 'mongodb';

/**
 * A key by which a collection can be sharded: each unique index begins with it, and each write of one
 * document names it. It follows from the `_id`, which is unique in each shard only. `hashed` where the
 * values are in the order of time: else all inserts are in one shard.
 */
export interface ShardKey {
  readonly [field: string]: 1 | 'hashed';
}

/** The indexes of one collection; their names appear in errors. */
export interface CollectionIndexes {
  readonly collection: string;
  /** Absent where the collection is not sharded. Nothing of the services reads it. */
  readonly shardKey?: ShardKey;
  readonly indexes: readonly {
    readonly name: string;
    readonly keys: IndexSpecification;
    readonly options?: Omit<CreateIndexesOptions, 'name'>;
  }[];
}

/** Restricts an index to the documents that have the field. */
export function whereExists(field: string) {
  return { partialFilterExpression: { [field]: { $exists: true } } };
}

/** Creates missing indexes; existing ones are not changed. */
export async function ensureIndexes(db: Db, wanted: readonly CollectionIndexes[]): Promise<void> {
  for (const { collection, indexes } of wanted) {
    for (const { name, keys, options } of indexes) {
      await db.collection(collection).createIndex(keys, { ...options, name });
    }
  }
}
