import type { AccountId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { dateOf } from '@inventory/runtime/clock';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import { rateWindowMs } from '../domain/rate-window.ts';

const collectionName = 'rate_windows';
const deadlineMs = 3_000;
const keptAfterEndMs = 60_000;

export const rateWindowIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } }],
};

/** How many requests an account made in one minute, over all replicas. */
interface RateWindowDocument {
  readonly _id: string;
  readonly used: number;
  readonly expireAt: Date;
}

export interface RateWindowIncrement {
  readonly accountId: AccountId;
  readonly windowStartMs: number;
  readonly wanted: number;
  readonly limitPerMinute: number;
}

export interface RateWindowStore {
  /**
   * Counts up to `wanted` requests in one atomic write that stops at the limit; answers how many
   * were counted before. The twin of `usedAfter` in the domain.
   */
  increment(increment: RateWindowIncrement): Promise<number>;
}

export function createRateWindowStore(db: Db): RateWindowStore {
  const collection = db.collection<RateWindowDocument>(collectionName);

  async function once(increment: RateWindowIncrement): Promise<number> {
    const { accountId, windowStartMs, wanted, limitPerMinute } = increment;
    const used = { $ifNull: ['$used', 0] };
    const clamped = { $min: [limitPerMinute, { $add: [used, wanted] }] };
    const updated = collection.findOneAndUpdate(
      { _id: `${accountId}/${windowStartMs}` },
      [
        {
          $set: {
            used: { $max: [used, clamped] },
            expireAt: dateOf(windowStartMs + rateWindowMs + keptAfterEndMs),
          },
        },
      ],
      { upsert: true, returnDocument: 'before', projection: { used: 1 } },
    );
    const before = await withDeadline(updated, deadlineMs, 'counting requests');
    return before?.used ?? 0;
  }

  return {
    async increment(increment) {
      try {
        return await once(increment);
      } catch (error) {
        // Two replicas may make the window's document at once; the loser's write was not applied.
        if (duplicateKeyOf(error) === null) throw error;
        return await once(increment);
      }
    },
  };
}
