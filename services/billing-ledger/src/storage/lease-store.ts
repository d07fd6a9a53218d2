import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import { leasesCollection } from './collections.ts';

export interface LeaseStore {
  /** Acquires or renews; false while another holder's has not expired. */
  acquireLease(lease: {
    readonly name: string;
    readonly holder: string;
    readonly nowMs: number;
    readonly untilMs: number;
  }): Promise<boolean>;
  releaseLease(name: string, holder: string): Promise<void>;
}

interface LeaseDocument {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

export function createLeaseStore(db: Db): LeaseStore {
  const leases = db.collection<LeaseDocument>(leasesCollection);
  return {
    async acquireLease({ name, holder, nowMs, untilMs }) {
      const free = { _id: name, $or: [{ holder }, { until: { $lte: dateOf(nowMs) } }] };
      const held = { $set: { holder, until: dateOf(untilMs) } };
      try {
        const { matchedCount, upsertedCount } = await leases.updateOne(free, held, {
          upsert: true,
        });
        return matchedCount + upsertedCount > 0;
      } catch (error) {
        // The lease exists and is not free.
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    async releaseLease(name, holder) {
      await leases.deleteOne({ _id: name, holder });
    },
  };
}
