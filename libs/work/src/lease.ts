import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import { dateOf } from '@inventory/runtime/clock';
import type { Collection, Document, Filter } from 'mongodb';
import { z } from 'zod';

/**
 * The one owner of the work on a document. It is a field of the document that the work is about;
 * where the document is nothing else, its id names the work.
 */
export const leaseField = z.object({
  /** Names one holding and no other one: it is the fence of its writes. */
  owner: z.string(),
  /** By the clock of the store; no machine's clock is compared. */
  until: z.date(),
});

/** A document that may be leased. */
export interface WithLease {
  readonly _id: string;
  readonly lease?: z.infer<typeof leaseField>;
}

/** One holding: the document, and the name under which its holder acquired it. */
export interface Lease {
  readonly id: string;
  readonly owner: string;
}

/** Top-level fields that are written with the lease. */
type LeaseFields<Stored> = Partial<Omit<Stored, '_id' | 'lease'>>;

interface AcquireOptions<Stored> {
  readonly set?: LeaseFields<Stored>;
  /** Fields by expressions, of the document as it was. */
  readonly compute?: { readonly [Field in keyof LeaseFields<Stored>]?: Document };
  readonly where?: Filter<Stored>;
  /** False where a missing document is not created. */
  readonly upsert?: boolean;
}

/**
 * Leases of the documents of a collection, which need not exist before. The document names its owner,
 * so a call whose result was lost is repeated under the same one.
 */
export interface Leases<Stored extends WithLease> {
  /**
   * The document as it is with the lease; null while another owner holds it, and where the document
   * does not match `where`.
   */
  acquire(lease: Lease, options?: AcquireOptions<Stored>): Promise<Stored | null>;
  /** Acquires it although it may be held: writes of the former owner change nothing from here on. */
  seize(lease: Lease): Promise<Stored>;
  /** Also after it expired, unless another owner acquired it; false when it is lost. */
  renew(lease: Lease, set?: LeaseFields<Stored>): Promise<boolean>;
  /** No effect on a lease that is lost. */
  release(lease: Lease): Promise<void>;
}

/**
 * The filter of every write of an owner, in whatever it writes to the document: it matches nothing
 * once another owner has acquired it.
 */
export function ownedBy<Stored extends WithLease>({ id, owner }: Lease): Filter<Stored> {
  return { _id: id, 'lease.owner': owner } as unknown as Filter<Stored>;
}

/** An expression: true for a document without a lease, and for one whose lease has expired. */
const isFree = { $lte: ['$lease.until', '$$NOW'] };

/**
 * A filter of documents without a lease at a time that was read of the store. One that is acquired or
 * renewed meanwhile does not match. Not every server has its own time in a filter.
 */
export function freeAt(storeMs: number) {
  return { 'lease.until': { $not: { $gt: dateOf(storeMs) } } };
}

export function createLeases<Stored extends WithLease>(
  collection: Collection<Stored>,
  leaseMs: number,
  /** What becomes of a document whose lease is released. */
  released: 'deleted' | 'kept',
): Leases<Stored> {
  const until = { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: leaseMs } };

  /**
   * One write, which leaves a document that is not `free` as it is. Null while another owner holds it;
   * undefined where it did not match `where`, or was created meanwhile.
   */
  async function take(
    { id, owner }: Lease,
    free: Document | true,
    { where, set = {}, compute = {}, upsert = true }: AcquireOptions<Stored> = {},
  ): Promise<Stored | null | undefined> {
    const written = { ...literals(set), ...compute, lease: { owner: { $literal: owner }, until } };
    const fields = Object.entries(written).map(([name, value]) => [
      name,
      { $cond: [free, value, `$${name}`] },
    ]);
    try {
      const found = await collection.findOneAndUpdate(
        { ...where, _id: id } as Filter<Stored>,
        [{ $set: Object.fromEntries(fields) }],
        { upsert, returnDocument: 'after' },
      );
      if (found === null) return upsert ? undefined : null;
      return found.lease?.owner === owner ? (found as Stored) : null;
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  }

  return {
    async acquire(lease, options) {
      const free = { $or: [isFree, { $eq: ['$lease.owner', { $literal: lease.owner }] }] };
      let taken = await take(lease, free, options);
      // It may match by now: its holder has left it. In the end its document says whose it is.
      if (taken === undefined) taken = await take(lease, free, options);
      return taken === undefined
        ? ((await collection.findOne(ownedBy(lease))) as Stored | null)
        : taken;
    },
    async seize(lease) {
      // The first one may create the document beside another owner; the second one finds it.
      const seized = (await take(lease, true)) ?? (await take(lease, true));
      if (!seized) throw new Error(`${lease.id} was created and deleted meanwhile`);
      return seized;
    },
    async renew(lease, set = {}) {
      const update = [{ $set: { ...literals(set), 'lease.until': until } }];
      return (await collection.updateOne(ownedBy(lease), update)).matchedCount === 1;
    },
    async release(lease) {
      if (released === 'deleted') await collection.deleteOne(ownedBy(lease));
      else await collection.updateOne(ownedBy(lease), [{ $unset: 'lease' }]);
    },
  };
}

/** An update by a pipeline reads a `$` in a value as an expression. */
function literals(fields: object): Document {
  const entries = Object.entries(fields).map(([name, value]) => [name, { $literal: value }]);
  return Object.fromEntries(entries);
}
