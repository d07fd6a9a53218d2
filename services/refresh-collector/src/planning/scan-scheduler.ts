import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { ScanAllowance } from '../egress/app-breaker.domain.ts';
import type { IdentityState } from '../egress/egress-identity.domain.ts';
import type { PlannerLease } from '../plan/planner-lease.ts';
import type { SagaDeps } from '../saga/apply-fact.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { InventoryStore } from '../scans/inventory-store.ts';
import { plannedOf, type ScanStore } from '../scans/scan-store.ts';
import type { ScanWorker } from '../scans/scan-worker.ts';
import { createPlanExecutor, type PlanExecutorDeps } from './execute-plan.ts';
import { createFailedSteps } from './failed-steps.ts';
import { type PlanLimits, planOpenScans } from './plan-open-scans.ts';
import { createScanQueue, type PlannedRefreshes } from './scan-queue.ts';

export interface SchedulerDeps {
  readonly saga: SagaDeps;
  readonly scans: ScanStore;
  readonly inventories: InventoryStore;
  readonly planner: PlannerLease;
  readonly takeObservation: PlanExecutorDeps['takeObservation'];
  readonly worker: ScanWorker;
  readonly identityStates: () => Promise<readonly IdentityState[]>;
  readonly scanAllowance: (appId: number) => ScanAllowance;
  /** Mean time of one page request. */
  readonly pageMs: () => number;
  readonly assetsPerPage: number;
  readonly limits: PlanLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type ScanScheduler = ReturnType<typeof createScanScheduler>;

const planEveryMs = 1_000;
/** Reading all of them repairs a missed change. */
const reloadEveryMs = 300_000;

/** Plans scans for all replicas while this one holds the planner lease. */
export function createScanScheduler(deps: SchedulerDeps) {
  const { clock, scans, planner, limits, assetsPerPage } = deps;
  const rules = { ...limits, assetsPerPage };
  const executor = createPlanExecutor({ ...deps, collectMs: limits.collectMs });
  const emptyQueue = () => createScanQueue(scans, rules, planner.plan, clock);
  let queue = emptyQueue();
  let failed = createFailedSteps(clock);
  let loadedMs = Number.NEGATIVE_INFINITY;
  let plannedMs = Number.NEGATIVE_INFINITY;
  let isPlanOutdated = false;

  async function readChanges(): Promise<boolean> {
    // A clock that was set back delays no plan.
    if (Math.abs(clock.now() - loadedMs) < reloadEveryMs) return queue.update();
    // Since when each waits was seen by the clock as it was.
    if (clock.now() < loadedMs) queue = emptyQueue();
    // However many they are, no other replica takes over meanwhile.
    await queue.load(planner.renewOrFollow);
    await reopenLeases(queue.open, deps);
    loadedMs = clock.now();
    return true;
  }

  async function replan(): Promise<boolean> {
    plannedMs = clock.now();
    isPlanOutdated = false;
    const { open } = queue;
    const { scanAllowance } = deps;
    const identities = await deps.identityStates();
    const conditions = { identities, replicas: planner.replicas, pageMs: deps.pageMs() };
    const { lastStartMs } = executor;
    const isPostponed = (id: string) => !failed.isDue(id);
    const { decided, published } = planOpenScans(
      { ...open.snapshot(), typicalPages: open.typicalPages, lastStartMs, isPostponed },
      { ...conditions, scanAllowance },
      limits,
      clock.now(),
    );
    const pages = decided.start.reduce(
      (sum, id) => sum + open.pagesLeft(id),
      decided.pagesReserved,
    );
    planner.plan = {
      ...published,
      pagesPerReplica: Math.ceil(pages / planner.replicas.count),
      reserved: open.markReserved(decided.reserved),
    };
    return executor.executePlan(decided, open, failed);
  }

  return {
    /** Plans after changes, and once a second; true when a refresh changed. */
    async runOnce(): Promise<boolean> {
      if (await planner.renewOrFollow()) {
        queue = emptyQueue();
        failed = createFailedSteps(clock);
        loadedMs = Number.NEGATIVE_INFINITY;
      }
      if (!planner.isHeld) return false;
      const changed = await readChanges();
      if (!planner.isHeld) return false;
      const isDue = Math.abs(clock.now() - plannedMs) >= planEveryMs;
      return changed || isPlanOutdated || isDue ? replan() : false;
    },
    /** A refresh entered a phase on this replica; true when a plan depends on it. */
    onRefreshChanged(refresh: Refresh): boolean {
      if (!planner.isHeld || !queue.open.put(plannedOf(refresh))) return false;
      isPlanOutdated = true;
      return true;
    },
    /** Refreshes whose planned step failed again and again; 0 while another replica plans. */
    get setAside(): number {
      return planner.isHeld ? failed.setAside : 0;
    },
  };
}

/** A planner that crashed may have started or resumed a scan without opening its lease. */
async function reopenLeases(
  open: PlannedRefreshes,
  { inventories, logger }: Pick<SchedulerDeps, 'inventories' | 'logger'>,
): Promise<void> {
  const running = open.snapshot().scans.filter(({ parked }) => !parked);
  const leased = await inventories.findLeasedRefreshes(running.map(({ inventory }) => inventory));
  for (const { id: refreshId, inventory, deadlineMs } of running) {
    if (leased.has(refreshId)) continue;
    try {
      await inventories.openLease({ inventory, refreshId, token: null, deadlineMs });
    } catch (error) {
      if (isMongoUnavailable(error)) throw error;
      logger.error({ err: error, refresh_id: refreshId }, 'scan lease not reopened');
    }
  }
}
