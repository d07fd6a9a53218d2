import { crc32 } from 'node:zlib';
import type { RevisionId } from '@inventory/contracts/ids';
import type { Logger } from '@inventory/runtime/logger';
import { blockCount } from '../domain/block-plan.ts';
import type { Revision } from '../domain/observation.ts';
import type { AssetIndexStore } from '../storage/asset-index-store.ts';
import type { BlockReading } from '../storage/block-store.ts';
import { readAssetRows } from './read-blocks.ts';

/** Hashes of the `assetid` of each asset of a revision, in its order; null when its blocks are gone. */
export interface AssetIndexes {
  hashesOf(scope: string, revision: Revision): Promise<Uint32Array | null>;
}

export const assetHash = (assetId: string): number => crc32(assetId);

/**
 * An index is made at the first lookup of its revision, one block at a time, and kept with it. Requests
 * of one replica share the making. The blocks are not those of the cache: a large revision would evict
 * all others.
 */
export function createAssetIndexes(
  blocks: BlockReading,
  indexes: AssetIndexStore,
  logger: Logger,
): AssetIndexes {
  const making = new Map<RevisionId, Promise<Uint32Array | null>>();

  async function make(scope: string, revision: Revision): Promise<Uint32Array | null> {
    const { revisionId, totalCount, blockAssets } = revision;
    const hashes = new Uint32Array(totalCount);
    for (let index = 0; index < blockCount(totalCount, blockAssets); index += 1) {
      const rows = await readAssetRows(blocks, revisionId, index);
      if (rows === null) return null;
      for (const [at, { assetid }] of rows.entries()) {
        hashes[index * blockAssets + at] = assetHash(assetid);
      }
    }
    await indexes.keepIndex({ scope, revisionId, totalCount }, hashes).catch((error: unknown) => {
      logger.warn({ err: error }, 'index of assets not kept');
    });
    return hashes;
  }

  return {
    async hashesOf(scope, revision) {
      const { revisionId, totalCount } = revision;
      const kept = await indexes.readIndex({ scope, revisionId, totalCount });
      if (kept !== null) return kept;
      const shared =
        making.get(revisionId) ?? make(scope, revision).finally(() => making.delete(revisionId));
      making.set(revisionId, shared);
      return await shared;
    },
  };
}
