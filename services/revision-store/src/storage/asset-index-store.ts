import type { RevisionId } from '@inventory/contracts/ids';
import { upsert } from '@inventory/mongo/duplicate-key';
import { retryOnce } from '@inventory/mongo/many-documents';
import { toNumberBytes, toUint32 } from './binary-fields.ts';
import type { StoreCollections } from './collections.ts';

/** Hashes of one document: 4 MB. */
const partAssets = 1_000_000;

export interface IndexedRevision {
  readonly scope: string;
  readonly revisionId: RevisionId;
  readonly totalCount: number;
}

export type AssetIndexStore = ReturnType<typeof createAssetIndexStore>;

/**
 * A hash of each `assetid` of a revision, in its order: which blocks may have an asset is known
 * without unpacking any. It is among the text blocks, under the set of the revision, and goes with it.
 */
export function createAssetIndexStore({ assetIndexes, assetBlocks }: StoreCollections) {
  return {
    /** Null where it was not kept yet. */
    async readIndex({ revisionId, totalCount }: IndexedRevision): Promise<Uint32Array | null> {
      const hashes = new Uint32Array(totalCount);
      for (let from = 0; from < totalCount; from += partAssets) {
        const part = await assetIndexes.findOne({ _id: partId(revisionId, from) });
        if (!part) return null;
        hashes.set(toUint32(part.hashes), from);
      }
      return hashes;
    },

    /** Not where the inventory was erased meanwhile. */
    async keepIndex(of: IndexedRevision, hashes: Uint32Array): Promise<void> {
      const { scope, revisionId: set, totalCount } = of;
      const ids: string[] = [];
      for (let from = 0; from < totalCount; from += partAssets) {
        const _id = partId(set, from);
        ids.push(_id);
        const part = toNumberBytes(hashes.subarray(from, from + partAssets));
        const fields = { scope, set, index: from / partAssets, hashes: part };
        const update = { $setOnInsert: fields };
        await upsert(() => assetIndexes.updateOne({ _id }, update, { upsert: true }));
      }
      const rows = await assetBlocks.findOne({ _id: `${set}/0` }, { projection: { _id: 1 } });
      if (!rows) await retryOnce(() => assetIndexes.deleteMany({ _id: { $in: ids } }));
    },
  };
}

function partId(revisionId: string, from: number): string {
  return `${revisionId}/ids/${from / partAssets}`;
}
