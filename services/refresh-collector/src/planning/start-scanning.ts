import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import {
  createWakeSignal,
  startPeriodicJob,
  type WakeSignal,
} from '@inventory/runtime/periodic-job';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { EgressConfig } from '../egress/egress-config.ts';
import type { Egress } from '../egress/open-egress.ts';
import { isDenial } from '../egress/page-verdicts.domain.ts';
import type { ObservationClient } from '../observations/find-observation.ts';
import type { Refreshes } from '../open-refreshes.ts';
import type { Stores } from '../open-stores.ts';
import type { PlannerLease } from '../plan/planner-lease.ts';
import type { RecentUse } from '../recent-use.ts';
import { expectedPagesLeft, reportedPages } from '../saga/recorded-scan.domain.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { RefreshConfig } from '../saga/saga-config.ts';
import { eraseInventoryRoute } from '../scans/erase-inventory-route.ts';
import type { InventoryStore } from '../scans/inventory-store.ts';
import { runScan } from '../scans/run-scan.ts';
import type { ScanConfig } from '../scans/scan-config.ts';
import { plannedOf } from '../scans/scan-store.ts';
import { createScanWorker, type ScanWorker } from '../scans/scan-worker.ts';
import type { RevisionStoreClient } from '../scans/staging-client.ts';
import { observeScans } from './plan-metrics.ts';
import type { PlanLimits } from './plan-open-scans.ts';
import { createScanScheduler, type ScanScheduler } from './scan-scheduler.ts';
import { takeObservation } from './take-observation.ts';

export interface ScanningDeps {
  readonly stores: Pick<Stores, 'scans' | 'inventories' | 'replicas' | 'refreshLists'>;
  readonly revisionStore: RevisionStoreClient;
  readonly observations: ObservationClient;
  readonly egress: Egress;
  readonly refreshes: Pick<Refreshes, 'saga' | 'onRefreshChanged'>;
  readonly planner: PlannerLease;
  readonly use: RecentUse;
  /** Name of this replica, stored with the scans it reads. */
  readonly replica: string;
  /** Live pages requested of this replica in the last minute. */
  readonly livePagesPerMinute: () => number;
}

type Config = EgressConfig & RefreshConfig & ScanConfig;
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
export function startScanning(context: Context, deps: ScanningDeps) {
  const { config, logger } = context;
  const { stores, refreshes, egress, planner } = deps;
  const { saga } = refreshes;
  const wakes = { planner: createWakeSignal(), worker: createWakeSignal() };
  const worker = openWorker(context, deps, wakes);
  const { observations } = deps;
  const { refreshes: stored } = saga;
  const taking = { ...context, scans: stores.scans, observations, refreshes: stored };
  const scheduler = createScanScheduler({
    scans: stores.scans,
    inventories: stores.inventories,
    saga,
    planner,
    takeObservation: (id) => takeObservation(taking, id),
    worker,
    identityStates: egress.pool.identityStates,
    scanAllowance: egress.breakers.scanAllowance,
    pageMs: egress.pageMs,
    assetsPerPage: config.pages.count,
    limits: planLimits(config),
    clock: context.clock,
    logger,
  });
  startJobs(context, deps, { worker, scheduler, wakes });
  refreshes.onRefreshChanged((refresh, left) => {
    if (scheduler.onRefreshChanged(refresh)) wakes.planner.wake();
    if (left !== 'collecting') return;
    worker.stopScan(refresh.refreshId);
    closeLeaseOf(stores.inventories, refresh, config.pages.count)
      .then(() => wakes.planner.wake())
      .catch((error: unknown) => logger.warn({ err: error }, 'scan lease not closed'));
  });
  const running = () => worker.running;
  observeScans({ running, plan: () => planner.plan, setAside: () => scheduler.setAside });
  const { refreshLists: lists, inventories } = stores;
  return { running, routes: [eraseInventoryRoute.bind({ saga, lists, inventories })] };
}

function openWorker(
  { config, lifetime, clock, identifiers, logger }: Context,
  { stores, revisionStore, egress, refreshes, planner, replica }: ScanningDeps,
  wakes: Wakes,
): ScanWorker {
  const { saga } = refreshes;
  const { leaseMs, scansMax, pagesMax } = config.scheduling;
  const scan = { saga, egress, revisionStore, rules: { ...config.pages, pagesMax }, clock, logger };
  return createScanWorker({
    scans: stores.scans,
    inventories: stores.inventories,
    saga,
    replica,
    leaseMs,
    onEnded(mayWait) {
      wakes.planner.wake();
      if (mayWait) wakes.worker.wake();
    },
    clock,
    identifiers,
    logger,
    run: (claimed, hold) => runScan(scan, claimed, hold),
    scansMax,
    partPages() {
      const { replicas, pagesPerReplica, typicalPages } = planner.plan;
      // One scan above it: no slot waits because the plan is a second old.
      return replicas > 1 ? pagesPerReplica + typicalPages : Number.POSITIVE_INFINITY;
    },
    pagesLeft: (refresh) =>
      expectedPagesLeft(plannedOf(refresh), config.pages.count, planner.plan.typicalPages),
    stopping: lifetime.signal,
  });
}

function startJobs(
  { config, lifetime, logger }: Context,
  { stores, planner, use, livePagesPerMinute }: ScanningDeps,
  {
    worker,
    scheduler,
    wakes,
  }: { readonly worker: ScanWorker; readonly scheduler: ScanScheduler; readonly wakes: Wakes },
): void {
  const { idleMs } = config.scheduling;
  const jobs = { lifetime, logger };
  lifetime.defer('running scans', () => worker.idle());
  // Another replica plans while the last pages of this one are in flight.
  lifetime.defer('planner lease', () => planner.release());
  lifetime.defer('presence', () => stores.replicas.removeReplica());
  startPeriodicJob({
    ...jobs,
    name: 'presence',
    intervalMs: () => Math.min(presenceMaxMs, use.pauseMs(presenceMs)),
    runOnce: () => stores.replicas.announceReplica(livePagesPerMinute()),
  });
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
    coreShareMax: planningShareMax,
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
export function planLimits(config: Config): PlanLimits {
  const { queueMs, collectMs } = config.deadlines;
  const { scansMax, scansPerAccountMax } = config.scheduling;
  const pagesMax = Math.min(
    config.scheduling.pagesMax,
    Math.ceil(assetsPaidMax / config.pages.count),
  );
  return {
    identities: config.identities,
    queueMs,
    collectMs,
    scansMax,
    scansPerAccountMax,
    pagesMax,
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
