import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { Clock } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { InventoryLeaseDocument } from './collections.ts';

/** The right to scan one inventory, held by one refresh at a time. */
export interface InventoryLeases {
  /** Takes or prolongs the lease; false while another refresh holds it. */
  take(scopeKey: string, refreshId: string): Promise<boolean>;
  free(scopeKey: string, refreshId: string): Promise<void>;
}

/** A document of its own per inventory: its id is the claim, its time ends a dead worker's. */
export function createInventoryLeases(
  collection: Collection<InventoryLeaseDocument>,
  clock: Clock,
  leaseMs: number,
): InventoryLeases {
  return {
    async take(scopeKey, refreshId) {
      const now = clock.now();
      const mayTake = [{ refreshId }, { leaseUntil: { $lte: new Date(now) } }];
      try {
        await collection.updateOne(
          { _id: scopeKey, $or: mayTake },
          { $set: { refreshId, leaseUntil: new Date(now + leaseMs) } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // The upsert met the document that the filter did not match: it is held by another.
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    async free(scopeKey, refreshId) {
      await collection.updateOne(
        { _id: scopeKey, refreshId },
        { $set: { leaseUntil: new Date(0) } },
      );
    },
  };
}
