import { byKey } from '@inventory/messaging/dispatch';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { startScrapedReading } from '@inventory/runtime/scraped-reading';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { RevisionStoreConfig } from './config.ts';
import { readChangesPageRoute } from './http/changes-route.ts';
import {
  ageInventoryRoute,
  eraseSavedInventoryRoute,
  lookUpAssetsRoute,
  readCurrentPageRoute,
  readExportLinesRoute,
  readObservationRoute,
  readSavedSummaryRoute,
} from './http/inventory-routes.ts';
import { observeWaitingScans } from './metrics.ts';
import { pruneInventories } from './pruning/prune-inventory.ts';
import { pruneStaging } from './pruning/prune-staging.ts';
import { openReading } from './reads/open-reading.ts';
import { onRevisionCommands } from './scans/on-revision-commands.ts';
import { openScanning, type Scanning } from './scans/open-scanning.ts';
import { listPagesRoute, putChunkRoute, readEpochRoute } from './scans/staging-routes.ts';
import { startAssemblies } from './scans/start-assemblies.ts';
import { storeIndexes } from './storage/collections.ts';
import { openRevisionStores } from './storage/open-stores.ts';
import type { WaitingScans } from './storage/waiting-scans.ts';

const concurrencyMax = 16;

/** Starts the service: assemblies, pruning, the consumer of commands, and internal HTTP last. */
export async function startRevisionStore(
  context: ServiceContext<RevisionStoreConfig>,
): Promise<StartedService> {
  const { config, lifetime, clock, logger } = context;
  const { db, bus, health } = await openBackends(context, 'revision-store', storeIndexes);
  const stores = openRevisionStores(db, config.assembly.leaseMs, logger);
  const scanning = openScanning(context, stores, bus.publish);
  const { retention } = scanning.settings;
  const reading = openReading(stores, clock, logger, { ...config, retention });
  startScanCount(context, stores.waiting);
  const assemblies = startAssemblies(scanning, context);
  startPruning(context, scanning);
  const consumer = await bus.consume({
    group: 'revision-store',
    topics: ['revision.commands.v1'],
    onBatch: byKey(onRevisionCommands(scanning, assemblies), concurrencyMax),
  });
  lifetime.defer('commands', () => consumer.stop());
  const routes = [
    putChunkRoute.bind(scanning),
    listPagesRoute.bind(scanning),
    readEpochRoute.bind(scanning),
    readCurrentPageRoute.bind(reading),
    readChangesPageRoute.bind(reading),
    readObservationRoute.bind(reading),
    readSavedSummaryRoute.bind(reading),
    lookUpAssetsRoute.bind(reading),
    readExportLinesRoute.bind(reading),
    ageInventoryRoute.bind(scanning),
    eraseSavedInventoryRoute.bind(scanning),
  ];
  return serveInternal(context, routes, health);
}

/** Deletes staged chunks, then inventories, that are due. */
function startPruning(
  { config, lifetime, logger }: ServiceContext<RevisionStoreConfig>,
  scanning: Scanning,
): void {
  startPeriodicJob({
    name: 'pruning',
    intervalMs: config.retention.pruneEveryMs,
    lifetime,
    logger,
    runOnce: async (stopping) => {
      await pruneStaging(scanning, stopping);
      await pruneInventories(scanning, stopping);
    },
  });
}

/** Reports the number of scans that wait for their assembly. */
function startScanCount(context: ServiceContext<RevisionStoreConfig>, waiting: WaitingScans): void {
  const read = () => waiting.count();
  observeWaitingScans(startScrapedReading('waiting scans', read, context));
}
