import { pageChunksMax } from '@inventory/contracts/internal/inventory';
import { pageAssetsMax } from '@inventory/contracts/vocabulary';
import type { MessageBus } from '@inventory/messaging/bus';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { RevisionStoreConfig } from './config.ts';
import type { DecidedScan } from './domain/scan.ts';
import { outcomeMessage } from './scans/decide-scan.ts';
import { createKnownContents } from './scans/known-contents.ts';
import { createAssetIndexStore } from './storage/asset-index-store.ts';
import { createBlockStore } from './storage/block-store.ts';
import { createChangeStore } from './storage/change-store.ts';
import { createChunkStore } from './storage/chunk-store.ts';
import { collectionsOf } from './storage/collections.ts';
import { createDecidedScanStore } from './storage/decided-scan-store.ts';
import { createObservationStore } from './storage/observation-store.ts';
import { createScanStore } from './storage/scan-store.ts';
import { createScopeStore } from './storage/scope-store.ts';
import { createWaitingScans } from './storage/waiting-scans.ts';
import { work } from './work.ts';

/** The record of an erased inventory is kept until no older scan can arrive. */
const erasedKeptMs = 24 * 3_600_000;

/** The dependencies of every operation. */
export type OperationDeps = ReturnType<typeof openOperations>['deps'];

/** Opens the stores. */
export function openOperations(
  context: ServiceContext<RevisionStoreConfig>,
  db: Db,
  bus: Pick<MessageBus, 'publish'>,
) {
  const { config, logger, clock, identifiers } = context;
  const collections = collectionsOf(db);
  const waitMaxMs = Math.max(config.assembly.leaseMs, work.smallScans.again.maxMs);
  const stores = {
    scans: createScanStore(collections.scans),
    waiting: createWaitingScans(collections.scans, waitMaxMs, logger),
    decidedScans: createDecidedScanStore(collections.scans),
    scopes: createScopeStore(collections.scopes, config.assembly.leaseMs, logger),
    chunks: createChunkStore(collections.chunks),
    observations: createObservationStore(collections.observations, logger),
    blocks: createBlockStore(collections),
    changes: createChangeStore(collections, logger),
    indexes: createAssetIndexStore(collections),
  };
  const deps = {
    ...stores,
    clock,
    identifiers,
    logger,
    contents: createKnownContents(),
    executor: createSerialExecutor(),
    sendOutcome: async (decided: DecidedScan, scopeKey: string) => {
      try {
        await bus.publish([outcomeMessage(decided, scopeKey)]);
      } catch (error) {
        logger.warn({ err: error, scan_id: decided.scanId }, 'outcome not sent, to be asked for');
      }
    },
    settings: {
      ...config.assembly,
      ...config.retention,
      retention: { ...config.retention, erasedKeptMs },
      blockAssets: pageAssetsMax,
      pageChunksMax,
    },
  };
  return { stores, deps };
}
