import type { CreateIndexesOptions, Db, IndexSpecification } from 'mongodb';

/** The indexes of one collection; their names appear in errors. */
export interface CollectionIndexes {
  readonly collection: string;
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
