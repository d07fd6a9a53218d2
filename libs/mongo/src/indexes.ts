import type { CreateIndexesOptions, Db, IndexSpecification } from 'mongodb';

/** The indexes of one collection; their names are given, so that they can be told in errors. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly {
    readonly name: string;
    readonly keys: IndexSpecification;
    readonly options?: Omit<CreateIndexesOptions, 'name'>;
  }[];
}

/** Creates what is missing; an index that is there already is left as it is. */
export async function ensureIndexes(db: Db, wanted: readonly CollectionIndexes[]): Promise<void> {
  for (const { collection, indexes } of wanted) {
    for (const { name, keys, options } of indexes) {
      await db.collection(collection).createIndex(keys, { ...options, name });
    }
  }
}
