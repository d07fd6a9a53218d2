import { pageChunksMax } from '@inventory/contracts/internal/inventory';
import { pageAssetsMax } from '@inventory/contracts/vocabulary';
import { byKey } from '@inventory/messaging/dispatch';
import { startOutboxRelay } from '@inventory/mongo/outbox';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { RevisionStoreConfig } from './config.ts';
import { onRevisionAbandoned } from './consumers/on-revision-abandoned.ts';
import { onRevisionCompleted } from './consumers/on-revision-completed.ts';
import type { DecidedScan } from './domain/scan.ts';
import { eraseInventoryRoute } from './http/erase-inventory-route.ts';
import { listPagesRoute } from './http/list-pages-route.ts';
import { putChunkRoute } from './http/put-chunk-route.ts';
import { readCurrentPageRoute } from './http/read-current-page-route.ts';
import { observeWaitingScans } from './metrics.ts';
import { outcomeMessage } from './operations/outcome-message.ts';
import { pruneInventories } from './operations/prune-inventories.ts';
import { pruneStaging } from './operations/prune-staging.ts';
import { startAssemblies } from './operations/run-assemblies.ts';
import { cacheBlocks } from './storage/block-cache.ts';
import { createBlockStore } from './storage/block-store.ts';
import { createChunkStore } from './storage/chunk-store.ts';
import { collectionsOf, indexes } from './storage/collections.ts';
import { createDecidedScanStore } from './storage/decided-scan-store.ts';
import { createObservationStore } from './storage/observation-store.ts';
import { createScanQueue, type ScanQueue } from './storage/scan-queue.ts';
import { createScanStore } from './storage/scan-store.ts';
import { createScopeStore } from './storage/scope-store.ts';

const concurrencyMax = 16;
/** An inventory without anything is remembered as erased until no older scan can come. */
const erasedKeptMs = 24 * 3_600_000;

export async function startRevisionStore(
  context: ServiceContext<RevisionStoreConfig>,
): Promise<StartedService> {
  const { config, lifetime, logger, clock, identifiers } = context;
  const { db, bus, health } = await openBackends(context, 'revision-store', indexes);
  const collections = collectionsOf(db);
  const outbox = startOutboxRelay({
    db,
    collectionName: collections.scans.collectionName,
    publish: (messages) => bus.publish(messages),
    now: () => clock.now(),
    lifetime,
    logger,
  });

  const stores = {
    scans: createScanStore(collections.scans),
    queue: createScanQueue(collections.scans, logger),
    decidedScans: createDecidedScanStore(collections.scans),
    scopes: createScopeStore(collections.scopes),
    chunks: createChunkStore(collections.chunks),
    observations: createObservationStore(collections.observations),
    blocks: createBlockStore(collections),
  };
  const operation = {
    ...stores,
    clock,
    identifiers,
    logger,
    sendOutcome: (decided: DecidedScan) => outbox.send(decided.scanId, [outcomeMessage(decided)]),
    settings: {
      ...config.assembly,
      ...config.retention,
      retention: { ...config.retention, erasedKeptMs },
      blockAssets: pageAssetsMax,
      pageChunksMax,
    },
  };

  startCounting(context, stores.queue);
  const { smallScansMax } = config.assembly;
  const assemblies = startAssemblies({
    assembly: operation,
    dropping: stores,
    smallScansMax,
    lifetime,
  });
  startPeriodicJob({
    name: 'pruning',
    intervalMs: config.retention.pruneEveryMs,
    lifetime,
    logger,
    runOnce: async (stopping) => {
      await pruneStaging(operation, stopping);
      await pruneInventories(operation, stopping);
    },
  });

  const recording = {
    ...stores,
    clock,
    publish: bus.publish,
    assemblies,
  };
  const consumer = await bus.consume({
    group: 'revision-store',
    topics: ['revision.commands.v1'],
    onBatch: byKey(
      {
        'revision.completed.v1': onRevisionCompleted(recording),
        'revision.abandoned.v1': onRevisionAbandoned(recording),
      },
      concurrencyMax,
    ),
  });
  lifetime.defer('commands', () => consumer.stop());

  const reading = { ...operation, blocks: cacheBlocks(stores.blocks, config.blockCacheBytes) };
  const routes = [
    putChunkRoute.bind({ staging: operation }),
    listPagesRoute.bind(stores),
    readCurrentPageRoute.bind({ reading }),
    eraseInventoryRoute.bind({ erasure: operation }),
  ];
  return serveInternal(context, routes, health);
}

const countEveryMs = 10_000;

function startCounting(
  { lifetime, logger }: ServiceContext<RevisionStoreConfig>,
  queue: Pick<ScanQueue, 'countWaiting'>,
): void {
  let waiting: number | null = null;
  observeWaitingScans(() => waiting);
  startPeriodicJob({
    name: 'waiting scans',
    intervalMs: countEveryMs,
    lifetime,
    logger,
    runOnce: async () => {
      waiting = await queue.countWaiting();
    },
  });
}
