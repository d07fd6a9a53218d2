import type { AccountId, ServiceAccountId } from '@inventory/contracts/ids';
import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { dateOf } from '@inventory/runtime/clock';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import { rateWindowMs } from './rate-window.domain.ts';

const collectionName = 'rate_windows';
const keptAfterEndMs = 60_000;

export const rateWindowIndexes: CollectionIndexes = {
  collection: collectionName,
  shardKey: { _id: 1 },
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

export type RateWindowStore = ReturnType<typeof createRateWindowStore>;

/**
 * Counts of windows. The filter alone decides what is admitted. A document that a server returns
 * with an update may be of another moment: the count in it is shown and bounds the next guess,
 * nothing more.
 */
export function createRateWindowStore(db: Db, deadlines: { readonly lookUpMs: number }) {
  const collection = db.collection<RateWindowDocument>(collectionName);
  const idOf = ({ owner, startMs }: RateWindow) => `${owner}/${startMs}`;
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'counting requests');

  return {
    /** Null when nothing is counted yet. */
    async readCount(window: RateWindow): Promise<number | null> {
      // The newest count, committed or not: a stale one would cause a conflict.
      const options = { readConcern: { level: 'local' as const }, projection: { used: 1 } };
      const found = await bounded(collection.findOne({ _id: idOf(window) }, options));
      return found?.used ?? null;
    },
    /**
     * Adds to the count of a window where the sum is at most `limit`. Returns the count after it; null
     * when it did not fit, or another replica inserted the window at the same time.
     */
    async addCount(window: RateWindow, requests: number, limit: number): Promise<number | null> {
      const filter = { _id: idOf(window), used: { $lte: limit - requests } };
      const expireAt = dateOf(window.startMs + rateWindowMs + keptAfterEndMs);
      const change = { $inc: { used: requests }, $setOnInsert: { expireAt } };
      const options = { upsert: true, returnDocument: 'after', projection: { used: 1 } } as const;
      try {
        const counted = await bounded(collection.findOneAndUpdate(filter, change, options));
        return counted?.used ?? null;
      } catch (error) {
        // The window exists and the filter does not match it: its count is too high.
        if (!isDuplicateKey(error)) throw error;
        return null;
      }
    },
  };
}
