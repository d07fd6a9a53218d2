import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { processCpuMs } from '@inventory/runtime/clock';
import type { IdentityState } from '../egress/egress-identity.domain.ts';
import { type AccountPages, noPlan, type PublishedPlan } from '../plan/published-plan.domain.ts';
import type { Replicas } from '../plan/replica-store.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { Scans } from '../scans/scans.ts';
import { createPlanExecutor } from './execute-plan.ts';
import { createFailedSteps } from './failed-steps.ts';
import { type PageCapacity, pageCapacities } from './page-capacity.domain.ts';
import { busyScans, type PlanRules, scanShare } from './plan-rules.domain.ts';
import type { PlanLimits, Planning } from './planning.ts';
import type { OpenRefreshes, StartConditions } from './queue-snapshot.domain.ts';
import type { QueuedSum } from './queued-refreshes.domain.ts';
import { planScans, type ScanPlan } from './scan-plan.domain.ts';
import { createScanQueue, type PlannedRefreshes } from './scan-queue.ts';

export type ScanScheduler = ReturnType<typeof createScanScheduler>;

const planEveryMs = 1_000;
/** A plan for what this replica changed itself waits for no read of what others did within this time. */
const readEveryMs = 250;
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
  let readMs = Number.NEGATIVE_INFINITY;
  let plannedMs = Number.NEGATIVE_INFINITY;
  let isPlanOutdated = false;
  let planCpuMs = 0;

  async function readChanges(): Promise<boolean> {
    const changed = await readOrReload();
    readMs = clock.now();
    return changed;
  }

  async function readOrReload(): Promise<boolean> {
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
    const startCpuMs = processCpuMs();
    const { decided, published } = planOpenScans(
      open.snapshot(),
      { ...conditions, scanAllowance, lastStartMs, isPostponed },
      limits,
      clock.now(),
    );
    planCpuMs += processCpuMs() - startCpuMs;
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
        readMs = Number.NEGATIVE_INFINITY;
      }
      if (!planner.isHeld) return false;
      const isRead = Math.abs(clock.now() - readMs) < readEveryMs;
      const changed = (isPlanOutdated && isRead) || (await readChanges());
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
    /** CPU time of all plans: without what they start, and what runs beside them. */
    get planCpuMs(): number {
      return planCpuMs;
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

/** The inputs of a plan beside the refreshes. */
interface PlanConditions extends StartConditions {
  readonly identities: readonly IdentityState[];
  readonly replicas: Replicas;
  /** Mean time of one page request. */
  readonly pageMs: number;
}

const busiestMax = 1_000;

/** Plans the open refreshes and computes what is published of the plan. */
function planOpenScans(
  open: OpenRefreshes,
  { identities, replicas, pageMs, ...conditions }: PlanConditions,
  limits: PlanLimits,
  nowMs: number,
): { readonly decided: ScanPlan; readonly published: PublishedPlan } {
  const capacity = pageCapacities(identities, limits.identities, nowMs);
  const slotsPerMinute = identities.length * limits.identities.requestsPerMinute;
  const share = scanShare(replicas.livePagesPerMinute / slotsPerMinute);
  const rules: PlanRules = {
    collectMs: limits.collectMs,
    queueMs: limits.queueMs,
    busyScans: busyScans(identities.length, limits.identities, pageMs),
    identities: identities.length,
    scansMax: limits.scansMax * replicas.count,
    scansPerAccountMax: limits.scansPerAccountMax,
    share,
    pagesMax: limits.pagesMax,
  };
  // The expected size of an unknown inventory never keeps its scan from starting.
  const half = (rules.share * capacity.expected.until(nowMs + limits.collectMs)) / 2;
  const typicalPages = Math.min(open.typicalPages, Math.max(1, Math.floor(half)));
  const decided = planScans({ ...open, ...conditions, typicalPages, nowMs, capacity }, rules);
  const accounts = pagesByAccount(open, typicalPages);
  return {
    decided,
    published: {
      ...noPlan,
      atMs: nowMs,
      urgentUntilMs: decided.urgentUntilMs,
      liveShare: 1 - share,
      pagesPerMinute: capacity.expected.pagesPerMinute * share,
      pagesPerMinuteHoped: capacity.hoped.pagesPerMinute * share,
      servesFromMs: capacity.servesFromMs,
      pagesReserved: decided.pagesReserved,
      pagesWaiting: decided.pagesWaiting,
      pagesFree: decided.pagesFree,
      scanPagesMax: Math.floor(share * pagesOfLatestScan(capacity.hoped, limits, nowMs)),
      typicalPages,
      replicas: replicas.count,
      accounts: accounts.length,
      busiest: accounts.slice(0, busiestMax),
    },
  };
}

/** Pages that one scan can read between the latest start of a refresh queued now and its deadline. */
function pagesOfLatestScan(
  capacity: PageCapacity,
  { queueMs, collectMs }: PlanLimits,
  nowMs: number,
): number {
  const startMs = nowMs + queueMs;
  return capacity.until(startMs + collectMs) - capacity.until(startMs);
}

/** Largest first. */
function pagesByAccount({ queued, scans }: OpenRefreshes, typicalPages: number): AccountPages[] {
  const accounts = new Map<string, AccountPages>();
  const add = (accountId: string, more: QueuedSum) => {
    const { refreshes, pages } = accounts.get(accountId) ?? { refreshes: 0, pages: 0 };
    accounts.set(accountId, {
      accountId,
      refreshes: refreshes + more.refreshes,
      pages: pages + more.pages,
    });
  };
  for (const account of queued.accounts()) {
    add(account.accountId, account.sum(typicalPages));
  }
  for (const { accountId, pagesLeft } of scans) add(accountId, { refreshes: 1, pages: pagesLeft });
  return [...accounts.values()].toSorted((left, right) => right.pages - left.pages);
}
