import type { AccountId, ServiceAccountId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { dateOf } from '@inventory/runtime/clock';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import type { Deadlines } from '../deadlines.ts';
import { rateWindowMs } from './rate-window.domain.ts';

const collectionName = 'rate_windows';
const keptAfterEndMs = 60_000;

export const rateWindowIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } }],
};

/** The requests of a Service account or of a customer account in one minute, over all replicas. Not parsed: every request reads it. */
interface RateWindowDocument {
  readonly _id: string;
  readonly used: number;
  readonly expireAt: Date;
}

/** Whose requests are counted. */
export type RateOwner = ServiceAccountId | AccountId;

export interface RateWindow {
  readonly owner: RateOwner;
  readonly startMs: number;
}

/** Counts of windows; every change is a compare-and-set. */
export interface RateWindowStore {
  /** Null when nothing is counted yet. */
  readCount(window: RateWindow): Promise<number | null>;
  /** Inserts the first count of a window; false when another replica inserted one before. */
  insertCount(window: RateWindow, used: number): Promise<boolean>;
  /** Replaces the count `from`; false when the stored count differs. */
  replaceCount(window: RateWindow, from: number, to: number): Promise<boolean>;
}

/**
 * Compare-and-set by filter only: a document that a server returns with an update may be of another
 * moment, a filter match is not.
 */
export function createRateWindowStore(
  db: Db,
  deadlines: Pick<Deadlines, 'lookUpMs'>,
): RateWindowStore {
  const collection = db.collection<RateWindowDocument>(collectionName);
  const idOf = ({ owner, startMs }: RateWindow) => `${owner}/${startMs}`;
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'counting requests');

  return {
    async readCount(window) {
      // The newest count, committed or not: a stale one would cause a conflict.
      const options = { readConcern: { level: 'local' as const }, projection: { used: 1 } };
      const found = await bounded(collection.findOne({ _id: idOf(window) }, options));
      return found?.used ?? null;
    },
    async insertCount(window, used) {
      const expireAt = dateOf(window.startMs + rateWindowMs + keptAfterEndMs);
      try {
        await bounded(collection.insertOne({ _id: idOf(window), used, expireAt }));
        return true;
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        return false;
      }
    },
    async replaceCount(window, from, to) {
      const filter = { _id: idOf(window), used: from };
      const updated = await bounded(collection.updateOne(filter, { $set: { used: to } }));
      return updated.modifiedCount === 1;
    },
  };
}
