import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import {
  createWakeSignal,
  startPeriodicJob,
  type WakeSignal,
} from '@inventory/runtime/periodic-job';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { EgressConfig } from '../egress/egress-config.ts';
import { isDenial } from '../egress/page-verdicts.domain.ts';
import type { Observations } from '../observations/open-observations.ts';
import type { PlannerLease } from '../plan/planner-lease.ts';
import type { ReplicaStore } from '../plan/replica-store.ts';
import type { RecentUse } from '../recent-use.ts';
import { reportedPages } from '../saga/recorded-scan.domain.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { SagaConfig } from '../saga/saga-config.ts';
import type { InventoryStore } from '../scans/inventory-store.ts';
import { runScan } from '../scans/run-scan.ts';
import type { ScanConfig } from '../scans/scan-config.ts';
import { createScanWorker, type ScanWorker } from '../scans/scan-worker.ts';
import type { Scans } from '../scans/scans.ts';
import { observeScans } from './plan-metrics.ts';
import type { PlanLimits } from './planning.ts';
import { createScanScheduler, type ScanScheduler } from './scan-scheduler.ts';

type Config = EgressConfig & SagaConfig & ScanConfig;
type Wakes = { readonly [Job in 'planner' | 'worker']: WakeSignal };
type Context = ServiceContext<ServiceConfig & Config>;

const presenceMs = 1_000;
/** One that fails leaves a replica present. */
const presenceMaxMs = 2_000;
/** What another replica admitted into a quiet system is planned after this. */
const othersMs = 1_000;
/** Of a core. */
const planningShareMax = 0.1;
/** A reservation pays for up to 125 credits of 2,000 assets each. */
const assetsPaidMax = 250_000;

/** Plans and reads scans until the lifetime closes; unfinished ones are then released at once. */
export function startScanning(
  context: Context,
  scans: Scans,
  observations: Observations,
  replicas: ReplicaStore,
  use: RecentUse,
  /** Live pages requested of this replica in the last minute. */
  livePagesPerMinute: () => number,
) {
  const { config, lifetime, logger } = context;
  const { saga, planner, inventories } = scans;
  const wakes = { planner: createWakeSignal(), worker: createWakeSignal() };
  const worker = createScanWorker(
    scans,
    (claimed, hold) => runScan(scans, claimed, hold),
    (mayWait) => {
      wakes.planner.wake();
      if (mayWait) wakes.worker.wake();
    },
  );
  const limits = planLimits(config);
  const scheduler = createScanScheduler({ scans, observations, worker, limits });
  lifetime.defer('running scans', () => worker.idle());
  // Another replica plans while the last pages of this one are in flight.
  lifetime.defer('planner lease', () => planner.release());
  announce(context, replicas, use, livePagesPerMinute);
  startJobs(context, planner, worker, scheduler, wakes, use);
  saga.onEntered((refresh, left) => {
    if (scheduler.onRefreshChanged(refresh)) wakes.planner.wake();
    if (left !== 'collecting') return;
    worker.stopScan(refresh.refreshId);
    closeLeaseOf(inventories, refresh, config.pages.count)
      .then(() => wakes.planner.wake())
      .catch((error: unknown) => logger.warn({ err: error }, 'scan lease not closed'));
  });
  const running = () => worker.running;
  observeScans({ running, plan: () => planner.plan, setAside: () => scheduler.setAside });
  return { running };
}

/** The presence of this replica, for the planner. */
function announce(
  { lifetime, logger }: Context,
  replicas: ReplicaStore,
  use: RecentUse,
  livePagesPerMinute: () => number,
): void {
  lifetime.defer('presence', () => replicas.removeReplica());
  startPeriodicJob({
    lifetime,
    logger,
    name: 'presence',
    intervalMs: () => Math.min(presenceMaxMs, use.pauseMs(presenceMs)),
    runOnce: () => replicas.announceReplica(livePagesPerMinute()),
  });
}

function startJobs(
  { config, lifetime, logger }: Context,
  planner: PlannerLease,
  worker: ScanWorker,
  scheduler: ScanScheduler,
  wakes: Wakes,
  use: RecentUse,
): void {
  const { idleMs } = config.scheduling;
  const jobs = { lifetime, logger };
  startPeriodicJob({
    ...jobs,
    name: 'scan worker',
    wokenBy: wakes.worker,
    intervalMs: () => use.pauseMs(idleMs),
    runOnce: () => worker.takeWaiting(),
  });
  startPeriodicJob({
    ...jobs,
    name: 'scan scheduler',
    wokenBy: wakes.planner,
    intervalMs() {
      const quietMs = use.pauseMs(idleMs);
      return planner.replicas.count > 1 ? Math.min(quietMs, Math.max(idleMs, othersMs)) : quietMs;
    },
    // However much changes, a plan has all of it.
    coreShare: { max: planningShareMax, cpuMs: () => scheduler.planCpuMs },
    async runOnce() {
      const hasChanged = await scheduler.runOnce();
      if (planner.plan.accounts > 0) void use.note();
      return hasChanged;
    },
  });
  use.onResumed(() => {
    wakes.worker.wake();
    wakes.planner.wake();
  });
}

/** An inventory that was never read has no more pages than are paid, and than a scan reads. */
export function planLimits({ identities, pages, deadlines, scheduling }: Config): PlanLimits {
  const { queueMs, collectMs } = deadlines;
  const { scansMax, scansPerAccountMax } = scheduling;
  return {
    assetsPerPage: pages.count,
    identities,
    queueMs,
    collectMs,
    scansMax,
    scansPerAccountMax,
    pagesMax: Math.min(scheduling.pagesMax, Math.ceil(assetsPaidMax / pages.count)),
  };
}

/** The inventory is free as soon as its scan ended; a lease left open is closed after its expiry. */
function closeLeaseOf(
  inventories: InventoryStore,
  refresh: Refresh,
  assetsPerPage: number,
): Promise<void> {
  const lease = { inventory: inventoryKeyText(refresh.scope), refreshId: refresh.refreshId };
  const pages = pagesToExpect(refresh, assetsPerPage);
  return inventories.closeLease(lease, {
    ...(pages === undefined ? {} : { pages }),
    ...(isDenial(refresh.outcome) ? { denial: refresh.outcome } : {}),
  });
}

/** The size to expect of the next scan is what this one reported, however it ended. */
function pagesToExpect({ phase, scan }: Refresh, assetsPerPage: number): number | undefined {
  if (!scan) return undefined;
  return phase === 'assembling' ? scan.pages : (reportedPages(scan, assetsPerPage) ?? undefined);
}
