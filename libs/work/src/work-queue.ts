import { type DocumentSchema, parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { WithWork } from './work-field.ts';

/** Pending work, as it was read or claimed. */
export interface Pending<Item> {
  readonly id: string;
  readonly item: Item;
  readonly dueAtMs: number;
  /** Claims so far, 1 in the first one. */
  readonly tries: number;
}

/** The pending work of one kind in a collection. Every write is conditional on what was read. */
export interface WorkQueue<Item> {
  /** What is due, the earliest first. */
  findDue(nowMs: number, limit: number): Promise<Pending<Item>[]>;
  /** Hides it from all until `untilMs`; null when another replica claimed or ended it. */
  claim(pending: Pending<Item>, owner: string, untilMs: number): Promise<Pending<Item> | null>;
  /** Whether this claim is the last one, and its work is still pending. */
  isClaimed(claimed: Pending<Item>): Promise<boolean>;
  /** Makes it due then, as if it had not been claimed; no effect once another replica has claimed it. */
  postpone(claimed: Pending<Item>, untilMs: number): Promise<void>;
  /** Ends it, also where another replica has claimed it meanwhile: its result is final. */
  complete(pending: Pick<Pending<Item>, 'id'>): Promise<void>;
}

export interface WorkQueueOptions<Stored extends WithWork, Item> {
  readonly collection: Collection<Stored>;
  readonly documents: DocumentSchema<Stored>;
  /** Left out where a collection has one kind of work. */
  readonly queue?: string;
  /** Fields that the item does not need. */
  readonly without?: readonly string[];
  readonly toItem: (document: Stored) => Item;
  /** What becomes of a document whose work is complete. */
  readonly completed: 'deleted' | 'kept';
  readonly logger: Pick<Logger, 'error'>;
}

export function createWorkQueue<Stored extends WithWork, Item>(
  options: WorkQueueOptions<Stored, Item>,
): WorkQueue<Item> {
  const { collection, queue, logger } = options;
  const projection = Object.fromEntries((options.without ?? []).map((name) => [name, 0]));
  const claimOf = ({ id, tries, dueAtMs }: Pending<Item>) =>
    ({ _id: id, 'work.tries': tries, 'work.dueAt': dateOf(dueAtMs) }) as unknown as Filter<Stored>;

  async function set(pending: Pending<Item>, fields: object): Promise<boolean> {
    const update = { $set: fields } as unknown as UpdateFilter<Stored>;
    return (await collection.updateOne(claimOf(pending), update)).modifiedCount === 1;
  }

  function read(stored: Stored): Pending<Item>[] {
    const document = parseDocument(options.documents, stored);
    const { _id: id, work } = document;
    if (!work) return [];
    const { dueAt, tries } = work;
    return [{ id, item: options.toItem(document), dueAtMs: dueAt.getTime(), tries }];
  }

  return {
    async findDue(nowMs, limit) {
      const due = { 'work.queue': queue ?? null, 'work.dueAt': { $lte: dateOf(nowMs) } };
      const found = collection
        .find(due as unknown as Filter<Stored>, { projection })
        .sort({ 'work.dueAt': 1 });
      return readFirst(found, limit, (document) => read(document as Stored), logger);
    },
    async claim(pending, owner, untilMs) {
      const tries = pending.tries + 1;
      const fields = { 'work.dueAt': dateOf(untilMs), 'work.tries': tries, 'work.owner': owner };
      return (await set(pending, fields)) ? { ...pending, tries, dueAtMs: untilMs } : null;
    },
    async isClaimed(claimed) {
      return (await collection.findOne(claimOf(claimed), { projection: { _id: 1 } })) !== null;
    },
    async postpone(claimed, untilMs) {
      await set(claimed, { 'work.dueAt': dateOf(untilMs), 'work.tries': claimed.tries - 1 });
    },
    async complete({ id }) {
      const pending = { _id: id, work: { $exists: true } } as unknown as Filter<Stored>;
      if (options.completed === 'deleted') await collection.deleteOne(pending);
      else {
        const update = { $unset: { work: '' } } as unknown as UpdateFilter<Stored>;
        await collection.updateOne(pending, update);
      }
    },
  };
}
