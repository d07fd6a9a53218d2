import { type DocumentSchema, parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection, Document, Filter, UpdateFilter } from 'mongodb';
import type { WorkField } from './work-field.ts';

/** Pending work, as it was read or claimed. */
export interface Pending<Item> {
  readonly id: string;
  readonly item: Item;
  readonly dueAtMs: number;
  /** Claims so far that count, 1 in the first one. */
  readonly tries: number;
  /** Who claimed it before, whether that claim counts or not. */
  readonly ownerBefore: string | null;
}

interface Identified {
  readonly _id: string;
}

/** The pending work of one kind in a collection. Every write is conditional on what was read. */
export interface WorkQueue<Item> {
  /** What is due, the earliest first. */
  findDue(nowMs: number, limit: number): Promise<Pending<Item>[]>;
  /** Hides it from all until `untilMs`; null when another replica claimed or ended it. */
  claim(pending: Pending<Item>, owner: string, untilMs: number): Promise<Pending<Item> | null>;
  /** Whether this claim is the last one, and its work is still pending. */
  isClaimed(claimed: Pending<Item>): Promise<boolean>;
  /** Renews a claim; null when it is no longer the last one. */
  renew(claimed: Pending<Item>, untilMs: number): Promise<Pending<Item> | null>;
  /** Makes it due then; no effect once another replica has claimed it. */
  postpone(claimed: Pending<Item>, untilMs: number, claim: 'counts' | 'uncounted'): Promise<void>;
  /** Ends it, also where another replica has claimed it meanwhile: its result is final. */
  complete(pending: Pick<Pending<Item>, 'id'>): Promise<void>;
}

export interface WorkQueueOptions<Stored extends Identified, Parsed extends Identified, Item> {
  readonly collection: Collection<Stored>;
  readonly documents: DocumentSchema<Parsed>;
  /** The field of a document that has its pending work; `work` when absent. */
  readonly field?: string;
  /** Left out where a field has one kind of work. */
  readonly queue?: string;
  /** Leaves out fields that the item does not need. */
  readonly projection?: Document;
  readonly toItem: (document: Parsed) => Item;
  /** What becomes of a document whose work is complete. */
  readonly completed: 'deleted' | 'kept';
  readonly logger: Pick<Logger, 'error'>;
}

export function createWorkQueue<Stored extends Identified, Parsed extends Identified, Item>(
  options: WorkQueueOptions<Stored, Parsed, Item>,
): WorkQueue<Item> {
  const { collection, field = 'work', queue, projection = {}, logger } = options;
  const [dueAtField, triesField] = [`${field}.dueAt`, `${field}.tries`];
  const claimOf = ({ id, tries, dueAtMs }: Pending<Item>) =>
    ({ _id: id, [triesField]: tries, [dueAtField]: dateOf(dueAtMs) }) as unknown as Filter<Stored>;

  async function set(pending: Pending<Item>, fields: object): Promise<boolean> {
    const update = { $set: fields } as unknown as UpdateFilter<Stored>;
    return (await collection.updateOne(claimOf(pending), update)).modifiedCount === 1;
  }

  function read(stored: Stored): Pending<Item>[] {
    const document = parseDocument(options.documents, stored);
    const work = (document as unknown as Record<string, unknown>)[field] as WorkField | undefined;
    if (!work) return [];
    const { dueAt, tries, owner: ownerBefore } = work;
    const item = options.toItem(document);
    return [{ id: document._id, item, dueAtMs: dueAt.getTime(), tries, ownerBefore }];
  }

  return {
    async findDue(nowMs, limit) {
      const due = { [`${field}.queue`]: queue ?? null, [dueAtField]: { $lte: dateOf(nowMs) } };
      const found = collection
        .find(due as unknown as Filter<Stored>, { projection })
        .sort({ [dueAtField]: 1 });
      return readFirst(found, limit, (document) => read(document as Stored), logger);
    },
    async claim(pending, owner, untilMs) {
      const tries = pending.tries + 1;
      const fields = {
        [dueAtField]: dateOf(untilMs),
        [triesField]: tries,
        [`${field}.owner`]: owner,
      };
      return (await set(pending, fields)) ? { ...pending, tries, dueAtMs: untilMs } : null;
    },
    async isClaimed(claimed) {
      return (await collection.findOne(claimOf(claimed), { projection: { _id: 1 } })) !== null;
    },
    async renew(claimed, untilMs) {
      const isRenewed = await set(claimed, { [dueAtField]: dateOf(untilMs) });
      return isRenewed ? { ...claimed, dueAtMs: untilMs } : null;
    },
    async postpone(claimed, untilMs, claim) {
      const tries = claim === 'counts' ? claimed.tries : claimed.tries - 1;
      await set(claimed, { [dueAtField]: dateOf(untilMs), [triesField]: tries });
    },
    async complete({ id }) {
      const pending = { _id: id, [field]: { $exists: true } } as unknown as Filter<Stored>;
      if (options.completed === 'deleted') await collection.deleteOne(pending);
      else {
        const update = { $unset: { [field]: '' } } as unknown as UpdateFilter<Stored>;
        await collection.updateOne(pending, update);
      }
    },
  };
}
