import type { Logger } from '@inventory/runtime/logger';
import type { Db } from 'mongodb';
import { work } from '../work.ts';
import { createAssetIndexStore } from './asset-index-store.ts';
import { createBlockStore } from './block-store.ts';
import { createChangeStore } from './change-store.ts';
import { createChunkStore } from './chunk-store.ts';
import { collectionsOf } from './collections.ts';
import { createObservationStore } from './observation-store.ts';
import { createScanRecords } from './scan-store.ts';
import { createScopeStore } from './scope-store.ts';
import { createWaitingScans } from './waiting-scans.ts';

export type RevisionStores = ReturnType<typeof openRevisionStores>;

/** All that the service keeps. */
export function openRevisionStores(db: Db, leaseMs: number, logger: Logger) {
  const collections = collectionsOf(db);
  const waitMaxMs = Math.max(leaseMs, work.smallScans.again.maxMs);
  return {
    scans: createScanRecords(collections.scans),
    waiting: createWaitingScans(collections.scans, waitMaxMs, logger),
    scopes: createScopeStore(collections.scopes, leaseMs, logger),
    chunks: createChunkStore(collections.chunks),
    observations: createObservationStore(collections.observations, logger),
    blocks: createBlockStore(collections),
    changes: createChangeStore(collections, logger),
    indexes: createAssetIndexStore(collections),
  };
}
