import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { PlanStore } from './plan-store.ts';
import { noPlan, type PublishedPlan } from './published-plan.domain.ts';
import type { ReplicaStore, Replicas } from './replica-store.ts';

export interface PlanLeadDeps {
  readonly plans: PlanStore;
  readonly replicas: ReplicaStore;
  /** This process. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Which replica plans, and what it published last. */
export interface PlanLead {
  /**
   * Once a second: keeps the lead and publishes, or reads what the leading replica published, or
   * takes a lead that expired. True when this replica begins to lead.
   */
  agree(): Promise<boolean>;
  /** The last plan, of this replica or of the leading one. */
  plan: PublishedPlan;
  readonly isLeading: boolean;
  /** As last read by the leading replica. */
  readonly replicas: Replicas;
}

const agreeEveryMs = 1_000;

export function createPlanLead(deps: PlanLeadDeps): PlanLead {
  const { plans, clock } = deps;
  let agreedMs = Number.NEGATIVE_INFINITY;
  const lead = {
    plan: noPlan,
    isLeading: false,
    replicas: { count: 1, livePagesPerMinute: 0 },
    async agree() {
      if (clock.now() - agreedMs < agreeEveryMs) return false;
      agreedMs = clock.now();
      const wasLeading = lead.isLeading;
      if (!wasLeading && (await isLedElsewhere())) return false;
      lead.isLeading = await plans.lead(lead.plan);
      if (!lead.isLeading) return false;
      lead.replicas = await deps.replicas.all();
      if (!wasLeading) deps.logger.info({ replica: deps.name }, 'planning scans');
      return !wasLeading;
    },
  };

  async function isLedElsewhere(): Promise<boolean> {
    const found = await plans.read();
    if (found) lead.plan = found.plan;
    return found?.isLed ?? false;
  }

  return lead;
}
