import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { retryOnce } from '@inventory/mongo/many-documents';
import { type DocumentSchema, parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { AnyBulkWriteOperation, Collection, Document, Filter, UpdateFilter } from 'mongodb';
import { newWork, type WorkField } from './work-field.ts';

/** What work is about, and the id of its document. */
interface WorkItem<Item> {
  readonly id: string;
  readonly item: Item;
}

/** Pending work, as it was read or claimed. */
export interface Pending<Item> extends WorkItem<Item> {
  readonly dueAtMs: number;
  /** Claims so far that count, 1 in the first one. */
  readonly tries: number;
  /** Who claimed it before, whether that claim counts or not. */
  readonly ownerBefore: string | null;
}

interface Identified {
  readonly _id: string;
}

interface Claim<Item> {
  readonly pending: Pending<Item>;
  /** As it is once this claim has succeeded. */
  readonly claimed: Pending<Item>;
  readonly owner: string;
}

const claimsPerCommand = 100;
/** Clocks that differ by less make waits that much longer. */
const clocksDifferMs = 300_000;
/** Between two polls for longer waits. */
const farPollEveryMs = 60_000;

/** The pending work of one kind in a collection. Every write is conditional on what was read. */
export interface WorkQueue<Item> {
  /** What is due, the earliest first, without that of some keys. */
  findDue(nowMs: number, limit: number, exceptKeys?: readonly string[]): Promise<Pending<Item>[]>;
  /** Hides it from all until `untilMs`; null when another replica claimed or ended it. */
  claim(pending: Pending<Item>, owner: string, untilMs: number): Promise<Pending<Item> | null>;
  /** Whether this claim is the last one, and its work is still pending. */
  isClaimed(claimed: Pending<Item>): Promise<boolean>;
  /** Renews a claim; null when it is no longer the last one. */
  renew(claimed: Pending<Item>, untilMs: number): Promise<Pending<Item> | null>;
  /** Makes it due then; no effect once another replica has claimed it. */
  postpone(claimed: Pending<Item>, untilMs: number, claim: 'counts' | 'uncounted'): Promise<void>;
  /** Ends it, also where another replica has claimed it meanwhile: its result is final. */
  complete(ended: WorkItem<Item>): Promise<void>;
  /**
   * Ends the claim of work that may become due while it is done ({@link makeDue}): due then, with
   * null nothing is pending; at once, `again`, where it was made due meanwhile. Null where it is not
   * claimed any more, or differs from `read`.
   */
  settle(claimed: Pending<Item>, settled: Settled): Promise<'settled' | 'again' | null>;
}

export interface Settled {
  readonly nowMs: number;
  readonly dueAtMs: number | null;
  /** What the owner writes with it. */
  readonly fields?: object;
  /** Fields that must be as they were read. */
  readonly read?: object;
}

export interface WorkQueueOptions<Stored extends Identified, Parsed extends Identified, Item> {
  readonly collection: Collection<Stored>;
  readonly documents: DocumentSchema<Parsed>;
  /** The field of a document that has its pending work; `work` when absent. */
  readonly field?: string;
  /** Left out where a field has one kind of work. */
  readonly queue?: string;
  /**
   * Longest time until work of this queue is due. What waits much longer was written by a clock that
   * was ahead, and is due. Absent: no wait is too long.
   */
  readonly waitMaxMs?: number;
  /** Which documents of the collection it has, where not by the name of a queue. */
  readonly where?: Filter<Stored>;
  /** The shard key of an item's document, where it is not its `_id`. */
  readonly shardOf?: (item: Item) => Filter<Stored>;
  /** Field whose value is the key of an item, for the round-robin of keys. */
  readonly keyField?: string;
  /** Leaves out fields that the item does not need. */
  readonly projection?: Document;
  readonly toItem: (document: Parsed) => Item;
  /** What becomes of a document whose work is complete. */
  readonly completed: 'deleted' | 'kept';
  readonly logger: Logger;
}

export function createWorkQueue<Stored extends Identified, Parsed extends Identified, Item>(
  options: WorkQueueOptions<Stored, Parsed, Item>,
): WorkQueue<Item> {
  const { collection, field = 'work', queue, keyField, projection = {}, logger } = options;
  const { waitMaxMs } = options;
  let farPollMs = Number.NEGATIVE_INFINITY;
  const [dueAtField, triesField] = [`${field}.dueAtMs`, `${field}.tries`];
  const documentOf = ({ id, item }: WorkItem<Item>) =>
    ({ _id: id, ...options.shardOf?.(item) }) as Filter<Stored>;
  const stateOf = ({ tries, dueAtMs }: Pending<Item>) => ({
    [triesField]: tries,
    [dueAtField]: dueAtMs,
  });
  const claimOf = (pending: Pending<Item>) =>
    ({ ...documentOf(pending), ...stateOf(pending) }) as Filter<Stored>;

  async function write(which: Filter<Stored>, update: object): Promise<boolean> {
    const { modifiedCount } = await collection.updateOne(which, update as UpdateFilter<Stored>);
    return modifiedCount === 1;
  }

  const set = (pending: Pending<Item>, fields: object) => write(claimOf(pending), { $set: fields });

  /** Leaves the work due then, or ends it with null. */
  async function leave(
    which: Filter<Stored>,
    dueAtMs: number | null,
    fields: object,
  ): Promise<boolean> {
    if (dueAtMs !== null) {
      return write(which, { $set: { ...fields, [field]: newWork(dueAtMs, queue) } });
    }
    if (options.completed === 'kept') {
      const hasFields = Object.keys(fields).length > 0;
      return write(which, { ...(hasFields && { $set: fields }), $unset: { [field]: '' } });
    }
    return (await collection.deleteOne(which)).deletedCount === 1;
  }

  function read(stored: Stored): Pending<Item>[] {
    const document = parseDocument(options.documents, stored);
    const work = (document as unknown as Record<string, unknown>)[field] as WorkField | undefined;
    if (!work) return [];
    const { dueAtMs, tries, owner: ownerBefore } = work;
    return [{ id: document._id, item: options.toItem(document), dueAtMs, tries, ownerBefore }];
  }

  const claims = createClaims(collection, field, { claimOf, stateOf });

  return {
    async findDue(nowMs, limit, exceptKeys = []) {
      const find = (dueAtMs: { $lte: number } | { $gt: number }, max: number) => {
        const which = {
          ...(options.where ?? { [`${field}.queue`]: queue ?? null }),
          [dueAtField]: dueAtMs,
          ...(keyField && exceptKeys.length > 0 && { [keyField]: { $nin: exceptKeys } }),
        };
        const found = collection
          .find(which as unknown as Filter<Stored>, { projection })
          .sort({ [dueAtField]: 1 });
        return readFirst(found, max, (document) => read(document as Stored), logger);
      };
      const due = await find({ $lte: nowMs }, limit);
      const pollsFar = waitMaxMs !== undefined && Math.abs(nowMs - farPollMs) >= farPollEveryMs;
      if (!pollsFar || due.length >= limit) return due;
      farPollMs = nowMs;
      const farMs = nowMs + waitMaxMs + clocksDifferMs;
      return [...due, ...(await find({ $gt: farMs }, limit - due.length))];
    },
    async claim(pending, owner, untilMs) {
      const claimed = { ...pending, tries: pending.tries + 1, dueAtMs: untilMs };
      return (await claims.add({ pending, claimed, owner })) ? claimed : null;
    },
    async isClaimed(claimed) {
      return (await collection.findOne(claimOf(claimed), { projection: { _id: 1 } })) !== null;
    },
    async renew(claimed, untilMs) {
      const isRenewed = await set(claimed, { [dueAtField]: untilMs });
      return isRenewed ? { ...claimed, dueAtMs: untilMs } : null;
    },
    async postpone(claimed, untilMs, claim) {
      const tries = claim === 'counts' ? claimed.tries : claimed.tries - 1;
      await set(claimed, { [dueAtField]: untilMs, [triesField]: tries });
    },
    async settle(claimed, { nowMs, dueAtMs, fields = {}, read: same = {} }) {
      const which = { ...same, ...claimOf(claimed) };
      const notAgain = { ...which, [`${field}.again`]: { $exists: false } };
      if (await leave(notAgain, dueAtMs, fields)) return 'settled';
      return (await leave(which, nowMs, fields)) ? 'again' : null;
    },
    async complete(pending) {
      const which = { ...documentOf(pending), [field]: { $exists: true } };
      await leave(which as Filter<Stored>, null, {});
    },
  };
}

/**
 * Milliseconds until what was found is due, polled until `withinMs` from now. One that is found
 * although it waits longer was written by a clock that was ahead, and is due.
 */
export function untilDueMs({ dueAtMs }: Pending<unknown>, nowMs: number, withinMs: number): number {
  return dueAtMs > nowMs + withinMs ? 0 : Math.max(0, dueAtMs - nowMs);
}

interface ClaimFilters<Stored, Item> {
  /** The document while it is as it was read. */
  readonly claimOf: (pending: Pending<Item>) => Filter<Stored>;
  /** What a claim changes. */
  readonly stateOf: (pending: Pending<Item>) => object;
}

/** Claims that are made together share a command. */
function createClaims<Stored extends Identified, Item>(
  collection: Collection<Stored>,
  field: string,
  { claimOf, stateOf }: ClaimFilters<Stored, Item>,
) {
  const ownerField = `${field}.owner`;

  async function isOwn({ claimed, owner }: Claim<Item>): Promise<boolean> {
    const which = { ...claimOf(claimed), [ownerField]: owner };
    return (await collection.findOne(which, { projection: { _id: 1 } })) !== null;
  }

  return createBatcher<Claim<Item>, boolean>({
    ...sharedCommands,
    itemsMax: claimsPerCommand,
    async flush(wanted) {
      const writes = wanted.map(({ pending, claimed, owner }) => {
        const $set = { ...stateOf(claimed), [ownerField]: owner };
        const update = { $set, $unset: { [`${field}.again`]: '' } };
        return { updateOne: { filter: claimOf(pending), update } } as Write<Stored>;
      });
      const { matchedCount } = await collection.bulkWrite(writes, { ordered: false });
      if (matchedCount === wanted.length) return wanted.map(() => true);
      if (matchedCount === 0) return wanted.map(() => false);
      // Others were claimed by another replica, or ended.
      return Promise.all(wanted.map(isOwn));
    },
  });
}

export interface MadeDue<Stored> {
  readonly which: Filter<Stored>;
  readonly dueAtMs: number;
}

/**
 * Makes work due then at the latest. What is claimed is due again when its claim ends, so no two
 * replicas work on it, and the next claim sees what was written before this call. With
 * `insertMissing` each is named by its `_id`, and a document that does not exist is made. False when
 * there is none: nothing has to poll what is due.
 */
export async function makeDue<Stored extends Identified>(
  collection: Collection<Stored>,
  wanted: readonly MadeDue<Stored>[],
  { insertMissing: upsert = false }: { readonly insertMissing?: boolean } = {},
): Promise<boolean> {
  if (wanted.length === 0) return false;
  const updates = (part: (one: MadeDue<Stored>) => object) =>
    wanted.map((one) => ({ updateMany: { upsert: false, ...part(one) } }) as Write<Stored>);
  const claimed = updates(({ which }) => ({
    filter: { ...which, 'work.owner': { $type: 'string' } },
    update: { $set: { 'work.again': true } },
  }));
  const others = updates(({ which, dueAtMs }) => ({
    filter: { ...which, 'work.owner': null },
    update: {
      $min: { 'work.dueAtMs': dueAtMs },
      $set: { 'work.owner': null },
      $inc: { 'work.tries': 0 },
    },
    upsert,
  }));
  // In this order: one whose claim ends between the two is unclaimed at the second.
  const write = (some: Write<Stored>[]) => retryOnce(() => collection.bulkWrite(some));
  if (!upsert) return (await write([...claimed, ...others])).matchedCount > 0;
  await write(claimed);
  // The insert of one that is claimed is refused: it is marked.
  await retryOnce(() => refusedWrites(collection.bulkWrite(others, { ordered: false })));
  return true;
}

type Write<Stored extends Identified> = AnyBulkWriteOperation<Stored>;
