import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { AppReads } from '../egress/app-breaker.domain.ts';
import type { IdentityState } from '../egress/egress-identity.domain.ts';
import type { SagaDeps } from '../refreshes/apply-fact.ts';
import type { InventoryStore } from '../refreshes/inventory-store.ts';
import type { Refresh } from '../refreshes/refresh.domain.ts';
import { createPlanExecution } from './carry-out-plan.ts';
import { createPlanLead } from './plan-lead.ts';
import { type PlanLimits, planOpenScans } from './plan-open-scans.ts';
import type { PlanStore } from './plan-store.ts';
import type { PublishedPlan } from './published-plan.domain.ts';
import type { ReplicaStore } from './replica-store.ts';
import { createScanQueue, type ScanQueue } from './scan-queue.ts';
import { plannedOf, type ScanStore } from './scan-store.ts';
import type { ScanWorker } from './scan-worker.ts';

export interface SchedulerDeps {
  readonly saga: SagaDeps;
  readonly scans: ScanStore;
  readonly inventories: InventoryStore;
  readonly plans: PlanStore;
  readonly replicas: ReplicaStore;
  readonly worker: Pick<ScanWorker, 'name' | 'token' | 'start' | 'stop'>;
  readonly identities: () => Promise<readonly IdentityState[]>;
  readonly readsOf: (appId: number) => AppReads;
  /** Mean time of one page request. */
  readonly pageMs: () => number;
  readonly assetsPerPage: number;
  readonly limits: PlanLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Plans scans while this replica leads, and follows the plan of the leading one otherwise. One
 * replica plans for all, with every open refresh in its memory.
 */
export interface ScanScheduler {
  /** Looks at what changed; true when the plan changed something. */
  round(): Promise<boolean>;
  /** A refresh entered a phase on this replica. */
  noticed(refresh: Refresh): void;
  /** The last plan, of this or another replica. */
  readonly plan: PublishedPlan;
}

const planEveryMs = 1_000;
/** What was missed all the same is found by reading everything anew. */
const reloadEveryMs = 300_000;

export function createScanScheduler(deps: SchedulerDeps): ScanScheduler {
  const { clock, scans, inventories, worker, limits, assetsPerPage } = deps;
  const execution = createPlanExecution({ ...deps, collectMs: limits.collectMs });
  const lead = createPlanLead({ ...deps, name: worker.name });
  const mirror = () => createScanQueue(scans, inventories, assetsPerPage, lead.plan.typicalPages);
  let open = mirror();
  let loadedMs = Number.NEGATIVE_INFINITY;
  let plannedMs = Number.NEGATIVE_INFINITY;
  let isNoticed = false;

  async function look(): Promise<boolean> {
    if (clock.now() - loadedMs < reloadEveryMs) return open.update();
    loadedMs = clock.now();
    await open.load();
    await reopenLeases(open, inventories);
    return true;
  }

  async function replan(): Promise<boolean> {
    plannedMs = clock.now();
    isNoticed = false;
    const conditions = {
      identities: await deps.identities(),
      replicas: lead.replicas,
      pageMs: deps.pageMs(),
      readsOf: deps.readsOf,
      lastStartMs: execution.lastStartMs,
      typicalPages: open.typicalPages,
    };
    const { decided, published } = planOpenScans(open.snapshot(), conditions, limits, clock);
    lead.plan = published;
    return execution.carryOut(decided, open);
  }

  return {
    async round() {
      if (await lead.agree()) {
        open = mirror();
        loadedMs = Number.NEGATIVE_INFINITY;
      }
      if (!lead.isLeading) return false;
      const changed = await look();
      const isDue = clock.now() - plannedMs >= planEveryMs;
      return changed || isNoticed || isDue ? replan() : false;
    },
    noticed(refresh) {
      if (!lead.isLeading) return;
      open.put(plannedOf(refresh));
      isNoticed = true;
    },
    get plan() {
      return lead.plan;
    },
  };
}

/** A leading replica that died may have started or resumed a scan without opening its lease. */
async function reopenLeases(open: ScanQueue, inventories: InventoryStore): Promise<void> {
  const running = open.snapshot().scans.filter(({ parked }) => !parked);
  const leased = await inventories.leasedTo(running.map(({ inventory }) => inventory));
  for (const { id: refreshId, inventory } of running) {
    if (!leased.has(refreshId)) await inventories.open({ inventory, refreshId, token: null });
  }
}
