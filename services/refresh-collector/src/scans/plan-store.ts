import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import { createLeases, type Leases } from '@inventory/work/lease';
import type { Collection } from 'mongodb';
import { documents, type PlanDocument } from '../collections.ts';
import type { PublishedPlan } from '../refreshes/published-plan.domain.ts';
import type { RefreshSurvey } from '../refreshes/refresh-survey-store.ts';

/** What the planning replica publishes for all. */
export interface Publication {
  readonly plan: PublishedPlan;
  /** Null before the first. */
  readonly survey: RefreshSurvey | null;
}

/** The lease of the planner, in one document with what it published. */
export interface PlanStore {
  readonly leases: Leases<PlanDocument>;
  /** The last publication; null before the first, and for a corrupt one, which the next replaces. */
  readPlan(): Promise<Publication | null>;
}

export function createPlanStore(
  collection: Collection<PlanDocument>,
  leaseMs: number,
  logger: Pick<Logger, 'error'>,
): PlanStore {
  return {
    leases: createLeases({ collection, leaseMs, released: 'kept' }),
    async readPlan() {
      const found = await collection.findOne({ _id: 'plan' });
      const [read] = readEach(found ? [found] : [], parsePlan, logger);
      if (!read) return null;
      const { _id, lease: _lease, survey, ...plan } = read;
      return { plan, survey };
    },
  };
}

const parsePlan = (stored: PlanDocument) => parseDocument(documents.plan, stored);
