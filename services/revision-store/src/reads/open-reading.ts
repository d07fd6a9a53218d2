import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Retention } from '../domain/retention.ts';
import { cacheBlocks, cacheStoredBlocks } from '../storage/block-cache.ts';
import type { RevisionStores } from '../storage/open-stores.ts';
import { createAssetIndexes } from './asset-index.ts';

/** Of the blocks that exports are in: in the cache of all they would evict what is read often. */
const exportCacheBytes = 16 * 1024 * 1024;

/** What pages, lookups, changes and exports are read with. */
export type InventoryReading = ReturnType<typeof openReading>;

export function openReading(
  { scopes, observations, changes, blocks, indexes }: RevisionStores,
  clock: Clock,
  logger: Logger,
  settings: { readonly retention: Retention; readonly blockCacheBytes: number },
) {
  return {
    scopes,
    observations,
    changes,
    blocks: cacheBlocks(blocks, settings.blockCacheBytes),
    /** Read for one purpose alone, not from a cache: what was read is freed. */
    rowBlocks: blocks,
    exportBlocks: cacheStoredBlocks(blocks.asStored, exportCacheBytes),
    assetIndexes: createAssetIndexes(blocks, indexes, logger),
    clock,
    logger,
    retention: settings.retention,
  };
}
