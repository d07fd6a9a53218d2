import { pause } from '@inventory/runtime/wait';
import {
  type Collection,
  type CreateIndexesOptions,
  type Db,
  type IndexDescriptionInfo,
  type IndexSpecification,
  MongoNetworkError,
  MongoServerError,
} from 'mongodb';
import { passingCodes } from './is-mongo-unavailable.ts';

interface WantedIndex {
  readonly name: string;
  readonly keys: IndexSpecification;
  readonly options?: Omit<CreateIndexesOptions, 'name'>;
}

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
  /** Without any, the collection itself is created: not every server does so with a first write. */
  readonly indexes: readonly WantedIndex[];
}

/** An index that cannot be created, because another one has its name or its keys. */
export interface IndexConflict {
  readonly collection: string;
  readonly name: string;
  /** Rules of the service depend on it. */
  readonly isUnique: boolean;
  /** What removes the other one, in MongoDB's shell. */
  readonly command: string;
}

/** Restricts an index to the documents that have the field. */
export function whereExists(field: string) {
  return { partialFilterExpression: { [field]: { $exists: true } } };
}

/**
 * Creates missing collections and indexes; existing ones are not changed. A build takes as long as
 * it takes: it has no timeout, and is continued after an election and where another process has
 * begun it. Which indexes could not be created.
 */
export async function ensureIndexes(
  db: Db,
  wanted: readonly CollectionIndexes[],
): Promise<readonly IndexConflict[]> {
  const conflicts: IndexConflict[] = [];
  for (const { collection: name, indexes } of wanted) {
    const collection = db.collection(name);
    if (indexes.length === 0) await createCollection(db, name);
    for (const index of indexes) {
      if (await build(collection, index)) continue;
      const conflict = await conflictOf(collection, index);
      if (conflict !== null) conflicts.push(conflict);
    }
  }
  return conflicts;
}

const codes = {
  namespaceExists: 48,
  indexOptionsConflict: 85,
  indexKeySpecsConflict: 86,
  indexBuildAlreadyInProgress: 285,
} as const;
/** Of a primary that ends or is replaced while it builds. */
const interruptedCodes: readonly unknown[] = [
  passingCodes.ShutdownInProgress,
  passingCodes.PrimarySteppedDown,
  passingCodes.NotWritablePrimary,
  passingCodes.InterruptedAtShutdown,
  passingCodes.InterruptedDueToReplStateChange,
];
const buildPauseMs = 500;

/** False where the server refuses it for another index. */
async function build(
  collection: Collection,
  { keys, name, options }: WantedIndex,
): Promise<boolean> {
  // The driver (7.9.0) passes it on to the connection; its types do not name it.
  const unlimited = { ...options, name, socketTimeoutMS: 0 };
  for (;;) {
    try {
      await collection.createIndex(keys, unlimited);
      return true;
    } catch (error) {
      const { code } = error instanceof MongoServerError ? error : { code: null };
      if (code === codes.indexOptionsConflict || code === codes.indexKeySpecsConflict) return false;
      const continues =
        code === codes.indexBuildAlreadyInProgress ||
        interruptedCodes.includes(code) ||
        error instanceof MongoNetworkError;
      if (!continues) throw error;
    }
    await pause(buildPauseMs);
  }
}

/** Null where the other one is the same under another name. */
async function conflictOf(
  collection: Collection,
  { name, keys, options = {} }: WantedIndex,
): Promise<IndexConflict | null> {
  const found = await collection.indexes();
  const other =
    found.find((one) => one.name === name) ?? found.find(({ key }) => isSame(key, keys));
  if (!other || (other.name !== name && hasSameRules(other, options))) return null;
  const { dbName, collectionName } = collection;
  return {
    collection: collectionName,
    name,
    isUnique: options.unique === true,
    command: `db.getSiblingDB('${dbName}').getCollection('${collectionName}').dropIndex('${other.name}')`,
  };
}

/** Of the options that this product uses. */
function hasSameRules(
  other: IndexDescriptionInfo,
  {
    unique = false,
    sparse = false,
    expireAfterSeconds,
    partialFilterExpression,
  }: object & CreateIndexesOptions,
): boolean {
  return isSame(
    [
      other.unique ?? false,
      other.sparse ?? false,
      other.expireAfterSeconds,
      other.partialFilterExpression,
    ],
    [unique, sparse, expireAfterSeconds, partialFilterExpression],
  );
}

/** The order of keys counts. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    const exists = error instanceof MongoServerError && error.code === codes.namespaceExists;
    if (!exists) throw error;
  }
}
