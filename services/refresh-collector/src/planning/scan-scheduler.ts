import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { Scans } from '../scans/scans.ts';
import { createPlanExecutor } from './execute-plan.ts';
import { createFailedSteps } from './failed-steps.ts';
import { planOpenScans } from './plan-open-scans.ts';
import type { Planning } from './planning.ts';
import { createScanQueue, type PlannedRefreshes } from './scan-queue.ts';

export type ScanScheduler = ReturnType<typeof createScanScheduler>;

const planEveryMs = 1_000;
/** Reading all of them repairs a missed change. */
const reloadEveryMs = 300_000;

/** Plans scans for all replicas while this one holds the planner lease. */
export function createScanScheduler(planning: Planning) {
  const { scans, limits } = planning;
  const { saga, egress, planner } = scans;
  const { clock } = saga;
  const executor = createPlanExecutor(planning);
  const emptyQueue = () => createScanQueue(scans.store, limits, planner.plan, clock);
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
    await reopenLeases(queue.open, scans);
    loadedMs = clock.now();
    return true;
  }

  async function replan(): Promise<boolean> {
    plannedMs = clock.now();
    isPlanOutdated = false;
    const { open } = queue;
    const { scanAllowance } = egress.breakers;
    const identities = await egress.pool.identityStates();
    const conditions = { identities, replicas: planner.replicas, pageMs: egress.pageMs() };
    const { lastStartMs } = executor;
    const isPostponed = (id: string) => !failed.isDue(id);
    const { decided, published } = planOpenScans(
      open.snapshot(),
      { ...conditions, scanAllowance, lastStartMs, isPostponed },
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
      if (!planner.isHeld || !queue.open.put(refresh)) return false;
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
async function reopenLeases(open: PlannedRefreshes, { inventories, saga }: Scans): Promise<void> {
  const running = open.snapshot().scans.filter(({ parked }) => !parked);
  const leased = await inventories.findLeasedRefreshes(running.map(({ inventory }) => inventory));
  for (const { id: refreshId, inventory, deadlineMs } of running) {
    if (leased.has(refreshId)) continue;
    try {
      await inventories.openLease({ inventory, refreshId, token: null, deadlineMs });
    } catch (error) {
      if (isMongoUnavailable(error)) throw error;
      saga.logger.error({ err: error, refreshId }, 'scan lease not reopened');
    }
  }
}
