import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Lease } from '@inventory/work/lease';
import type { RefreshSurvey } from '../survey/refresh-survey-store.ts';
import type { PlanStore } from './plan-store.ts';
import { noPlan, type PublishedPlan } from './published-plan.domain.ts';
import type { ReplicaStore } from './replica-store.ts';

export type PlannerLease = ReturnType<typeof createPlannerLease>;

const intervalMs = 1_000;

/** The lease of the planning replica, and what it published last. */
export function createPlannerLease(
  plans: PlanStore,
  replicas: ReplicaStore,
  /** Name of this replica. */
  replica: string,
  clock: Clock,
  logger: Logger,
) {
  let renewedMs = Number.NEGATIVE_INFINITY;
  let acquisitions = 0;
  let held: Lease | null = null;
  /** When the plan that was followed last was made, by the clock of its planner. */
  let publishedMs: number | null = null;
  /** How far this clock is ahead of that one, as far as it is known. */
  let aheadMs = 0;
  const publication = () => ({ ...lease.plan, survey: lease.survey });
  const lease = {
    /** The last plan, of this or another replica. */
    plan: noPlan,
    /** The last survey, of this or another replica; null before the first. */
    survey: null as RefreshSurvey | null,
    get isHeld(): boolean {
      return held !== null;
    },
    /** As last read while the lease is held. */
    replicas: { count: 1, livePagesPerMinute: 0 },
    /**
     * At most once a second: renews the lease and publishes plan and survey, or reads those of the
     * holder and acquires an expired lease. True when this replica acquired it.
     */
    async renewOrFollow(): Promise<boolean> {
      // A clock that was set back delays no renewal.
      if (Math.abs(clock.now() - renewedMs) < intervalMs) return false;
      renewedMs = clock.now();
      const wasHeld = held;
      held = wasHeld ? await renew(wasHeld) : await acquire();
      if (!held) return false;
      lease.replicas = await replicas.countReplicas();
      if (!wasHeld) logger.info({ replica }, 'planner lease acquired');
      return !wasHeld;
    },
    /** Lets another replica acquire it at once. */
    async release(): Promise<void> {
      if (held) await plans.leases.release(held);
    },
  };

  async function renew(own: Lease): Promise<Lease | null> {
    return (await plans.leases.renew(own, publication())) ? own : null;
  }

  async function acquire(): Promise<Lease | null> {
    const found = await plans.readPlan();
    if (found) {
      lease.plan = follow(found.plan);
      lease.survey = found.survey;
    }
    acquisitions += 1;
    const wanted = { id: 'plan', owner: `${replica}/${acquisitions}` };
    return (await plans.leases.acquire(wanted, { set: publication() })) ? wanted : null;
  }

  /**
   * From the second one on, a plan is as old as it is known here: the clock of its planner may be wrong.
   * The age of the first one is what that clock says.
   */
  function follow(published: PublishedPlan): PublishedPlan {
    const { atMs, servesFromMs } = published;
    if (publishedMs !== null && publishedMs !== atMs) aheadMs = clock.now() - atMs;
    publishedMs = atMs;
    return { ...published, atMs: atMs + aheadMs, servesFromMs: servesFromMs + aheadMs };
  }

  return lease;
}
