import { scopeKey } from '@inventory/contracts/scope';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RefreshCollectorConfig } from '../config.ts';
import type { IdentityState } from '../egress/egress-identity.domain.ts';
import type { PageReadingDeps } from '../egress/read-page.ts';
import type { Clients } from '../open-clients.ts';
import type { Stores } from '../open-stores.ts';
import type { SagaDeps } from '../refreshes/apply-fact.ts';
import type { InventoryStore } from '../refreshes/inventory-store.ts';
import type { Refresh, RefreshPhase } from '../refreshes/refresh.domain.ts';
import type { PlanLimits } from './plan-open-scans.ts';
import type { PublishedPlan } from './published-plan.domain.ts';
import { runScan, type ScanDeps } from './run-scan.ts';
import { createScanScheduler } from './scan-scheduler.ts';
import { createScanWorker } from './scan-worker.ts';

export interface ScanningDeps {
  readonly stores: Stores;
  readonly clients: Pick<Clients, 'revisionStore'>;
  readonly saga: SagaDeps;
  readonly reading: PageReadingDeps;
  /** This process, as it is recorded with the scans it reads. */
  readonly replica: string;
  readonly identities: () => Promise<readonly IdentityState[]>;
  /** Mean time of one page request. */
  readonly pageMs: () => number;
  /** Live pages that this replica was asked for in the last minute. */
  readonly livePagesPerMinute: () => number;
}

export interface Scanning {
  /** A refresh left a phase on this replica. */
  noticed(refresh: Refresh, left: RefreshPhase): void;
  readonly plan: () => PublishedPlan;
  readonly running: () => number;
}

const presenceMs = 1_000;
/** A refresh is paid for up to 125 credits of 2,000 assets each. */
const assetsPaidMax = 250_000;

/** Plans and reads scans until the lifetime ends; what is unfinished then is left to others at once. */
export function startScanning(
  context: ServiceContext<RefreshCollectorConfig>,
  parts: ScanningDeps,
): Scanning {
  const { config, lifetime, logger, clock, identifiers } = context;
  const { stores, clients, saga, reading, replica } = parts;
  const { leaseMs, scansMax, idleMs } = config.scheduling;
  const scan: ScanDeps = {
    saga,
    store: clients.revisionStore,
    rules: config.scan,
    clock,
    logger,
    reading,
  };
  const worker = createScanWorker({
    saga,
    ...stores,
    run: (claimed, lease) => runScan(scan, claimed, lease),
    name: replica,
    scansMax: () => Math.min(scansMax, scheduler.plan.scansPerReplica),
    leaseMs,
    stopping: lifetime.signal,
    onEnded: () => {
      planning.wake();
      working.wake();
    },
    clock,
    identifiers,
    logger,
  });
  const scheduler = createScanScheduler({
    saga,
    ...stores,
    worker,
    identities: parts.identities,
    readsOf: reading.breakers.readsOf,
    pageMs: parts.pageMs,
    assetsPerPage: config.scan.count,
    limits: planLimits(config),
    clock,
    logger,
  });
  lifetime.defer('running scans', () => worker.idle());
  // Another replica plans while the last pages of this one are on their way.
  lifetime.defer('planner lease', () => stores.plans.leave());
  lifetime.defer('presence', () => stores.replicas.leave());
  const jobs = { lifetime, logger };
  startPeriodicJob({
    ...jobs,
    name: 'presence',
    intervalMs: presenceMs,
    runOnce: () => stores.replicas.announce(parts.livePagesPerMinute()),
  });
  const working = startPeriodicJob({
    ...jobs,
    name: 'scan worker',
    intervalMs: idleMs,
    runOnce: () => worker.round(),
  });
  const planning = startPeriodicJob({
    ...jobs,
    name: 'scan scheduler',
    intervalMs: idleMs,
    runOnce: () => scheduler.round(),
  });

  return {
    noticed(refresh, left) {
      scheduler.noticed(refresh);
      planning.wake();
      if (left !== 'collecting') return;
      worker.stop(refresh.id);
      closeLease(stores.inventories, refresh)
        .then(() => planning.wake())
        .catch((error: unknown) => logger.warn({ err: error }, 'lease not closed'));
    },
    plan: () => scheduler.plan,
    running: () => worker.running,
  };
}

function planLimits(config: RefreshCollectorConfig): PlanLimits {
  const { queueMs, collectMs } = config.deadlines;
  const { scansMax, scansPerAccountMax } = config.scheduling;
  const pagesMax = Math.ceil(assetsPaidMax / config.scan.count);
  return {
    identities: config.identities,
    queueMs,
    collectMs,
    scansMax,
    scansPerAccountMax,
    pagesMax,
  };
}

/** The inventory is free as soon as its scan ended; a lease left behind is closed once it expired. */
async function closeLease(
  inventories: InventoryStore,
  { id, scope, phase, scan }: Refresh,
): Promise<void> {
  const lease = { inventory: scopeKey(scope), refreshId: id };
  if (phase === 'assembling' && scan) await inventories.closeComplete(lease, scan.pages);
  else await inventories.close(lease);
}
