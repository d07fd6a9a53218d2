import { type Loop, startLoop } from '@inventory/runtime/loop';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RefreshCollectorConfig } from './config.ts';
import type { Clients } from './open-clients.ts';
import type { Stores } from './open-stores.ts';
import type { SagaDependencies } from './operations/apply-fact.ts';
import type { PageReadingDependencies } from './operations/read-page.ts';
import { runScan, type ScanDependencies } from './operations/run-scan.ts';
import { type ScanScheduler, scheduleScans } from './operations/schedule-scans.ts';
import type { ClaimedScan } from './storage/scan-store.ts';
import type { StoredRefresh } from './storage/stored-refresh.ts';

export interface ScanningParts {
  readonly stores: Stores;
  readonly clients: Clients;
  readonly saga: SagaDependencies;
  readonly reading: PageReadingDependencies;
  readonly pagesPerSecond: number;
}

export interface Scanning {
  /** Takes a refresh that was just queued, at once where nobody waits before it. */
  offer(queued: StoredRefresh): void;
  readonly scheduler: ScanScheduler;
}

const presenceMs = 1_000;

/** Claims and reads scans until the lifetime ends; what is unfinished then is given up at once. */
export function startScanning(
  context: ServiceContext<RefreshCollectorConfig>,
  parts: ScanningParts,
): Scanning {
  const { config, lifetime, logger, clock } = context;
  const { stores, clients } = parts;
  let replicas = 1;
  const scan: ScanDependencies = {
    saga: parts.saga,
    scans: stores.scans,
    store: clients.revisionStore,
    rules: config.scan,
    leaseMs: config.scheduling.leaseMs,
    clock,
    logger,
    reading: parts.reading,
  };

  async function run(claimed: ClaimedScan): Promise<void> {
    const { id } = claimed.refresh;
    stores.refreshes.remember(claimed);
    try {
      await runScan(scan, claimed, lifetime.signal);
      if (lifetime.signal.aborted) await stores.scans.letGo(id, claimed.epoch);
    } catch (error) {
      // The lease expires and whichever worker has room goes on from the last recorded page.
      logger.error({ err: error, refresh_id: id }, 'scan interrupted');
    }
    loop.wake();
  }

  const scheduler = scheduleScans({
    scans: stores.scans,
    replicas: () => replicas,
    run,
    rules: {
      scansMax: config.scheduling.scansMax,
      scansPerAccountMax: config.scheduling.scansPerAccountMax,
      urgentMs: config.deadlines.queueMs / 10,
      assetsPerPage: config.scan.count,
      capacity: {
        pagesPerSecond: parts.pagesPerSecond,
        collectDeadlineMs: config.deadlines.collectMs,
      },
    },
    clock,
    logger,
  });
  const presence = startLoop({
    name: 'presence',
    idleMs: presenceMs,
    logger,
    round: async () => {
      replicas = await stores.replicas.announce();
      return false;
    },
  });
  const loop: Loop = startLoop({
    name: 'scan scheduler',
    idleMs: config.scheduling.idleMs,
    logger,
    round: () => scheduler.round(),
  });
  lifetime.defer('scanning', async () => {
    await Promise.all([loop.stop(), presence.stop()]);
    await scheduler.idle();
    await stores.replicas.leave();
  });
  return {
    offer(queued) {
      scheduler.offer(queued).then(
        (started) => {
          if (!started) loop.wake();
        },
        (error: unknown) => {
          logger.warn({ err: error }, 'scan not started at once');
          loop.wake();
        },
      );
    },
    scheduler,
  };
}
