import { byKey } from '@inventory/messaging/dispatch';
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
import { listPagesRoute, putChunkRoute } from './http/staging-routes.ts';
import { openOperations } from './open-operations.ts';
import { createAssetIndexes } from './operations/asset-index.ts';
import { startAssemblies } from './operations/start-assemblies.ts';
import { startPruning, startScanCount } from './start-jobs.ts';
import { cacheBlocks, cacheStoredBlocks } from './storage/block-cache.ts';
import { indexes } from './storage/collections.ts';

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
  const cached = { ...deps, blocks: cacheBlocks(stores.blocks, config.blockCacheBytes) };
  const routes = [
    putChunkRoute.bind(deps),
    listPagesRoute.bind(stores),
    readCurrentPageRoute.bind(cached),
    readChangesPageRoute.bind(cached),
    readObservationRoute.bind(deps),
    lookUpAssetsRoute.bind({ ...cached, assetIndexes: createAssetIndexes(deps) }),
    readExportLinesRoute.bind({
      ...deps,
      blocks: cacheStoredBlocks(stores.blocks, exportCacheBytes),
    }),
    eraseInventoryRoute.bind(deps),
  ];
  return serveInternal(context, routes, health);
}
