import { byKey } from '@inventory/messaging/dispatch';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { startScrapedReading } from '@inventory/runtime/scraped-reading';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { RevisionStoreConfig } from './config.ts';
import { onRevisionCommands } from './consumers/on-revision-commands.ts';
import { readChangesPageRoute } from './http/changes-route.ts';
import {
  eraseInventoryRoute,
  lookUpAssetsRoute,
  readCurrentPageRoute,
  readExportLinesRoute,
  readObservationRoute,
} from './http/inventory-routes.ts';
import { listPagesRoute, putChunkRoute, readEpochRoute } from './http/staging-routes.ts';
import { observeWaitingScans } from './metrics.ts';
import { type OperationDeps, openOperations } from './open-operations.ts';
import { pruneInventories } from './pruning/prune-inventory.ts';
import { pruneStaging } from './pruning/prune-staging.ts';
import { createAssetIndexes } from './reads/asset-index.ts';
import { startAssemblies } from './scans/start-assemblies.ts';
import { cacheBlocks, cacheStoredBlocks } from './storage/block-cache.ts';
import { indexes } from './storage/collections.ts';
import type { WaitingScans } from './storage/waiting-scans.ts';

const concurrencyMax = 16;
/** Of the blocks that exports are in: in the cache of all they would evict what is read often. */
const exportCacheBytes = 16 * 1024 * 1024;

/** Starts the service: assemblies, pruning, the consumer of commands, and internal HTTP last. */
export async function startRevisionStore(
  context: ServiceContext<RevisionStoreConfig>,
): Promise<StartedService> {
  const { config, lifetime } = context;
  const { db, bus, health } = await openBackends(context, 'revision-store', indexes);
  const { stores, deps } = openOperations(context, db, bus);
  startScanCount(context, stores.waiting);
  const { smallScansMax } = config.assembly;
  const assemblies = startAssemblies(
    { assembly: deps, waiting: stores.waiting, dropping: stores, smallScansMax },
    context,
  );
  startPruning(context, deps);
  const recording = { ...deps, publish: bus.publish, assemblies };
  const consumer = await bus.consume({
    group: 'revision-store',
    topics: ['revision.commands.v1'],
    onBatch: byKey(onRevisionCommands(recording), concurrencyMax),
  });
  lifetime.defer('commands', () => consumer.stop());
  const assetIndexes = createAssetIndexes(deps);
  const cached = { ...deps, blocks: cacheBlocks(stores.blocks, config.blockCacheBytes) };
  const routes = [
    putChunkRoute.bind(deps),
    listPagesRoute.bind(stores),
    readEpochRoute.bind(stores),
    readCurrentPageRoute.bind(cached),
    readChangesPageRoute.bind({ ...cached, assetIndexes, rowBlocks: stores.blocks }),
    readObservationRoute.bind(deps),
    lookUpAssetsRoute.bind({ ...cached, assetIndexes }),
    readExportLinesRoute.bind({
      ...deps,
      blocks: cacheStoredBlocks(stores.blocks, exportCacheBytes),
    }),
    eraseInventoryRoute.bind(deps),
  ];
  return serveInternal(context, routes, health);
}

/** Deletes staged chunks, then inventories, that are due. */
function startPruning(
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
function startScanCount(
  { lifetime, logger }: ServiceContext<RevisionStoreConfig>,
  scans: Pick<WaitingScans, 'count'>,
): void {
  const read = () => scans.count();
  observeWaitingScans(startScrapedReading({ name: 'waiting scans', read, lifetime, logger }));
}
