import {
  type CreateIndexesOptions,
  type Db,
  type IndexSpecification,
  MongoServerError,
} from 'mongodb';

/** The indexes of one collection; their names appear in errors. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly {
    readonly name: string;
    readonly keys: IndexSpecification;
    readonly options?: Omit<CreateIndexesOptions, 'name'>;
  }[];
  /** Indexes of earlier versions, dropped once the present ones are built. */
  readonly retired?: readonly string[];
}

/** Restricts an index to the documents that have the field. */
export function whereExists(field: string) {
  return { partialFilterExpression: { [field]: { $exists: true } } };
}

/** Creates missing indexes; existing ones are not changed. */
export async function ensureIndexes(db: Db, wanted: readonly CollectionIndexes[]): Promise<void> {
  for (const { collection, indexes, retired = [] } of wanted) {
    for (const { name, keys, options } of indexes) {
      await db.collection(collection).createIndex(keys, { ...options, name });
    }
    for (const name of retired) await dropIndex(db, collection, name);
  }
}

const indexNotFound = 27;

async function dropIndex(db: Db, collection: string, name: string): Promise<void> {
  try {
    await db.collection(collection).dropIndex(name);
  } catch (error) {
    // Dropped before, by this replica or another.
    if (!(error instanceof MongoServerError) || error.code !== indexNotFound) throw error;
  }
}
