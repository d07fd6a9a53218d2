import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import { createLeases, leaseField } from '@inventory/work/lease';
import type { Collection } from 'mongodb';
import { z } from 'zod';
import { type RefreshSurvey, refreshSurvey } from '../survey/refresh-survey-store.ts';
import type { PublishedPlan } from './published-plan.domain.ts';

/** The planner lease, and the plan and the survey that its holder published last. */
const planSchema = z.object({
  _id: z.literal('plan'),
  lease: leaseField.exactOptional(),
  atMs: z.number(),
  urgentUntilMs: z.number().nullable(),
  liveShare: z.number(),
  pagesPerMinute: z.number(),
  pagesPerMinuteHoped: z.number(),
  servesFromMs: z.number(),
  pagesReserved: z.number(),
  pagesWaiting: z.number(),
  pagesFree: z.number(),
  scanPagesMax: z.number(),
  typicalPages: z.number(),
  replicas: z.int(),
  pagesPerReplica: z.number(),
  reserved: z.array(z.string()).readonly(),
  accounts: z.int(),
  busiest: z
    .array(z.object({ accountId: z.string(), refreshes: z.int(), pages: z.number() }))
    .readonly(),
  survey: refreshSurvey.nullable(),
});
export type PlanDocument = z.infer<typeof planSchema>;
const document = { collection: 'plans', schema: planSchema };

export type PlanStore = ReturnType<typeof createPlanStore>;

/** The lease of the planner, in one document with what it published. */
export function createPlanStore(
  collection: Collection<PlanDocument>,
  leaseMs: number,
  logger: Logger,
) {
  return {
    leases: createLeases(collection, leaseMs, 'kept'),
    /**
     * What the planning replica published last; null before the first, and for a corrupt one, which the
     * next replaces. There is no survey before the first one.
     */
    async readPlan(): Promise<{
      readonly plan: PublishedPlan;
      readonly survey: RefreshSurvey | null;
    } | null> {
      const found = await collection.findOne({ _id: 'plan' });
      const [read] = readEach(found ? [found] : [], parsePlan, logger);
      if (!read) return null;
      const { _id, lease: _lease, survey, ...plan } = read;
      return { plan, survey };
    },
  };
}

const parsePlan = (stored: PlanDocument) => parseDocument(document, stored);
