import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RevisionStoreConfig } from './config.ts';
import { observeWaitingScans } from './metrics.ts';
import type { OperationDeps } from './open-operations.ts';
import { pruneInventories } from './operations/prune-inventory.ts';
import { pruneStaging } from './operations/prune-staging.ts';
import type { WaitingScans } from './storage/waiting-scans.ts';

const countEveryMs = 10_000;

/** Deletes staged chunks, then inventories, that are due. */
export function startPruning(
  { config, lifetime, logger }: ServiceContext<RevisionStoreConfig>,
  deps: OperationDeps,
): void {
  startPeriodicJob({
    name: 'pruning',
    intervalMs: config.retention.pruneEveryMs,
    lifetime,
    logger,
    runOnce: async (stopping) => {
      await pruneStaging(deps, stopping);
      await pruneInventories(deps, stopping);
    },
  });
}

/** Reports the number of scans that wait for their assembly. */
export function startScanCount(
  { lifetime, logger }: ServiceContext<RevisionStoreConfig>,
  scans: Pick<WaitingScans, 'count'>,
): void {
  let waiting: number | null = null;
  observeWaitingScans(() => waiting);
  startPeriodicJob({
    name: 'waiting scans',
    intervalMs: countEveryMs,
    lifetime,
    logger,
    runOnce: async () => {
      waiting = await scans.count();
    },
  });
}
