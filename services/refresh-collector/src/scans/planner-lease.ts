import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Lease } from '@inventory/work/lease';
import { noPlan, type PublishedPlan } from '../refreshes/published-plan.domain.ts';
import type { RefreshSurvey } from '../refreshes/refresh-survey-store.ts';
import type { PlanStore } from './plan-store.ts';
import type { ReplicaStore, Replicas } from './replica-store.ts';

export interface PlannerLeaseDeps {
  readonly plans: PlanStore;
  readonly replicas: ReplicaStore;
  /** Name of this replica. */
  readonly replica: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The lease of the planning replica, and what it published last. */
export interface PlannerLease {
  /**
   * At most once a second: renews the lease and publishes plan and survey, or reads those of the
   * holder and acquires an expired lease. True when this replica acquired it.
   */
  renewOrFollow(): Promise<boolean>;
  /** Lets another replica acquire it at once. */
  release(): Promise<void>;
  /** The last plan, of this or another replica. */
  plan: PublishedPlan;
  /** The last survey, of this or another replica; null before the first. */
  survey: RefreshSurvey | null;
  readonly isHeld: boolean;
  /** As last read while the lease is held. */
  readonly replicas: Replicas;
}

type Writable<Of> = { -readonly [Field in keyof Of]: Of[Field] };

const intervalMs = 1_000;

export function createPlannerLease(deps: PlannerLeaseDeps): PlannerLease {
  const { plans, clock } = deps;
  let renewedMs = Number.NEGATIVE_INFINITY;
  let acquisitions = 0;
  let held: Lease | null = null;
  const publication = () => ({ ...lease.plan, survey: lease.survey });
  const lease: Writable<PlannerLease> = {
    plan: noPlan,
    survey: null,
    get isHeld() {
      return held !== null;
    },
    replicas: { count: 1, livePagesPerMinute: 0 },
    async renewOrFollow() {
      if (clock.now() - renewedMs < intervalMs) return false;
      renewedMs = clock.now();
      const wasHeld = held;
      held = wasHeld ? await renew(wasHeld) : await acquire();
      if (!held) return false;
      lease.replicas = await deps.replicas.countReplicas();
      if (!wasHeld) deps.logger.info({ replica: deps.replica }, 'planner lease acquired');
      return !wasHeld;
    },
    async release() {
      if (held) await plans.leases.release(held);
    },
  };

  async function renew(own: Lease): Promise<Lease | null> {
    return (await plans.leases.renew(own, publication())) ? own : null;
  }

  async function acquire(): Promise<Lease | null> {
    const found = await plans.readPlan();
    if (found) {
      lease.plan = found.plan;
      lease.survey = found.survey;
    }
    acquisitions += 1;
    const wanted = { id: 'plan', owner: `${deps.replica}/${acquisitions}` };
    return (await plans.leases.acquire(wanted, { set: publication() })) ? wanted : null;
  }

  return lease;
}
