import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { TypedCollection } from '@inventory/mongo/typed-collection';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { documents, type PlanDocument } from '../collections.ts';
import type { PublishedPlan } from '../refreshes/published-plan.domain.ts';
import type { RefreshSurvey } from '../refreshes/refresh-survey.domain.ts';

/** What the planning replica publishes for all. */
export interface Publication {
  readonly plan: PublishedPlan;
  /** Null before the first. */
  readonly survey: RefreshSurvey | null;
}

/** The lease of the planner, in one document with what it published. */
export interface PlanStore {
  /** Acquires or renews the lease and publishes; false while another replica holds it. */
  publishPlan(publication: Publication): Promise<boolean>;
  /**
   * The last publication, and whether the lease is held; null before the first, and for a corrupt
   * one, which the next replaces.
   */
  readPlan(): Promise<(Publication & { readonly isLeased: boolean }) | null>;
  /** Lets another replica acquire the lease at once. */
  releasePlannerLease(): Promise<void>;
}

export function createPlanStore(
  collection: TypedCollection<PlanDocument>,
  owner: string,
  clock: Clock,
  leaseMs: number,
  logger: Pick<Logger, 'error'>,
): PlanStore {
  return {
    async publishPlan({ plan, survey }) {
      const nowMs = clock.now();
      const isFree = [{ owner }, { leaseUntil: { $lte: dateOf(nowMs) } }];
      try {
        await collection.updateOne(
          { _id: 'plan', $or: isFree },
          { $set: { ...plan, survey, owner, leaseUntil: dateOf(nowMs + leaseMs) } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // The upsert conflicts with a document that the filter does not match: it is leased.
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    async readPlan() {
      const found = await collection.findOne({ _id: 'plan' });
      const [read] = readEach(found ? [found] : [], parsePlan, logger);
      if (!read) return null;
      const { _id, owner: _owner, leaseUntil, survey, ...plan } = read;
      return { plan, survey, isLeased: leaseUntil.getTime() > clock.now() };
    },
    async releasePlannerLease() {
      await collection.updateOne({ _id: 'plan', owner }, { $set: { leaseUntil: dateOf(0) } });
    },
  };
}

const parsePlan = (stored: PlanDocument) => parseDocument(documents.plan, stored);
