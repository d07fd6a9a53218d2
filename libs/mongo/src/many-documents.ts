import {
  type Collection,
  type Document,
  type Filter,
  type FindOptions,
  MongoServerSelectionError,
  type WithId,
} from 'mongodb';
import { isMongoUnavailable } from './is-mongo-unavailable.ts';

/**
 * Retries a write of many documents once. The driver retries those of one document alone, because
 * it does not know that a repetition has no further effect: of the writes given here it has none.
 */
export async function retryOnce<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    // A server was waited for already.
    if (!isMongoUnavailable(error) || error instanceof MongoServerSelectionError) throw error;
    return await write();
  }
}

/** Few enough that their deletion ends long before a command times out, also of large documents. */
const deletedPerCommand = 500;

/**
 * Deletes what a filter matches, in commands of bounded size; how many. What changes meanwhile so
 * that it does not match any more stays. A crash leaves the others, which the next call deletes.
 */
export async function deleteInBatches<Stored extends Document>(
  collection: Collection<Stored>,
  filter: Filter<Stored>,
  {
    batchMax = deletedPerCommand,
    /** As many have been deleted before it stops. */
    deletedMax = Number.POSITIVE_INFINITY,
  } = {},
): Promise<number> {
  const options = { projection: { _id: 1 }, limit: batchMax } as const;
  for (let deleted = 0; ; ) {
    const found = await collection.find(filter, options).toArray();
    if (found.length > 0) deleted += await deleteOf(collection, filter, found);
    if (found.length < batchMax || deleted >= deletedMax) return deleted;
  }
}

async function deleteOf<Stored extends Document>(
  collection: Collection<Stored>,
  filter: Filter<Stored>,
  found: readonly { readonly _id: unknown }[],
): Promise<number> {
  const these = { _id: { $in: found.map(({ _id }) => _id) } };
  const which = { $and: [filter, these] } as Filter<Stored>;
  return (await retryOnce(() => collection.deleteMany(which))).deletedCount;
}

interface ReadPagesOptions extends Pick<FindOptions, 'hint' | 'projection' | 'promoteBuffers'> {
  /** Documents of a page; fewer where they are large. */
  readonly pageMax: number;
}

/** Which ids are read. */
interface IdRange {
  readonly $gt?: string;
  readonly $gte?: string;
  readonly $lt?: string;
}

/**
 * Reads documents in the order of their ids, a command for each page: no cursor expires, however long
 * their reader takes, and a read that meets an election is retried.
 */
export async function* readInPages<Stored extends { readonly _id: string }>(
  collection: Collection<Stored>,
  range: IdRange,
  { pageMax, ...options }: ReadPagesOptions,
): AsyncGenerator<WithId<Stored>> {
  for (let _id = range; ; ) {
    const which = (Object.keys(_id).length > 0 ? { _id } : {}) as Filter<Stored>;
    const page = await collection
      .find(which, { ...options, sort: { _id: 1 }, batchSize: pageMax, singleBatch: true })
      .toArray();
    yield* page;
    const last = page.at(-1);
    // A page of large documents has fewer.
    if (last === undefined) return;
    _id = { ...range, $gt: last._id };
  }
}
