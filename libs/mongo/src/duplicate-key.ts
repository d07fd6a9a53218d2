import {
  type Collection,
  type Filter,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
} from 'mongodb';

const duplicateKeyCode = 11_000;

/**
 * Whether a unique index refused a write. Which one is left out: not every server says it, and the
 * driver drops it for a bulk write.
 */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
}

/**
 * Inserts a document whose id nothing else has. Where it is there already, its first response was lost:
 * not every server recognises a write that the driver retries.
 */
export async function insertOwn<Stored extends { readonly _id: string }>(
  collection: Collection<Stored>,
  document: Stored,
): Promise<void> {
  try {
    await collection.insertOne(document as OptionalUnlessRequiredId<Stored>);
  } catch (error) {
    const which = { _id: document._id } as Filter<Stored>;
    const isOwn =
      isDuplicateKey(error) && (await collection.findOne(which, { projection: { _id: 1 } }));
    if (!isOwn) throw error;
  }
}

/**
 * Two upserts of one new document can conflict, on servers that do not try again themselves: the second
 * attempt updates.
 */
export async function upsert<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return await write();
  }
}

/**
 * Which writes of an unordered bulk write a unique index refused; the others are stored. Any other
 * failure leaves open what is stored: then it rejects as the bulk write does.
 */
export async function refusedWrites(writes: Promise<unknown>): Promise<ReadonlySet<number>> {
  try {
    await writes;
    return new Set();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    const isCertain =
      failures.length > 0 &&
      failures.every(({ code }) => code === duplicateKeyCode) &&
      error.result.getWriteConcernError() === undefined;
    if (!isCertain) throw error;
    return new Set(failures.map(({ index }) => index));
  }
}
