import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { TypedCollection } from '@inventory/mongo/typed-collection';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import type { PlanDocument } from '../collections.ts';
import type { PublishedPlan } from './published-plan.domain.ts';

/** The one document by which replicas agree which of them plans, and what it planned last. */
export interface PlanStore {
  /** Becomes or stays the planning replica and publishes; false while another one is. */
  lead(plan: PublishedPlan): Promise<boolean>;
  /** The last plan, and whether a replica plans; null before the first. */
  read(): Promise<{ readonly plan: PublishedPlan; readonly isLed: boolean } | null>;
  /** Lets another replica plan at once. */
  leave(): Promise<void>;
}

export function createPlanStore(
  collection: TypedCollection<PlanDocument>,
  owner: string,
  clock: Clock,
  leaseMs: number,
): PlanStore {
  return {
    async lead(plan) {
      const nowMs = clock.now();
      const isFree = [{ owner }, { leaseUntil: { $lte: dateOf(nowMs) } }];
      try {
        await collection.updateOne(
          { _id: 'plan', $or: isFree },
          { $set: { ...plan, owner, leaseUntil: dateOf(nowMs + leaseMs) } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // The upsert met the document that the filter did not match: another replica plans.
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    async read() {
      const found = await collection.findOne({ _id: 'plan' });
      if (!found) return null;
      const { _id, owner: _owner, leaseUntil, ...plan } = found;
      return { plan, isLed: leaseUntil.getTime() > clock.now() };
    },
    async leave() {
      await collection.updateOne({ _id: 'plan', owner }, { $set: { leaseUntil: dateOf(0) } });
    },
  };
}
