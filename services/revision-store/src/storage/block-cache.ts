import type { PackedBeginning } from '@inventory/http/packed-body';
import type { PackedBytes } from '@inventory/runtime/packed-bytes';
import { LRUCache } from 'lru-cache';
import { type AssetBlock, type BlockStore, type BlockTexts, packedId } from './block-store.ts';

/** Reads blocks, with their first texts as they are or packed. */
export interface StoredReading<First> {
  readAssets(set: string, index: number): Promise<AssetBlock<First> | undefined>;
  readTexts(set: string, index: number): Promise<BlockTexts<First> | undefined>;
}

export type BlockReading = Pick<
  BlockStore,
  'readAssets' | 'readTexts' | 'readPart' | 'readPacked' | 'keepPacked' | 'readDescriptionKeys'
>;

/**
 * Caches blocks by recency, up to a number of bytes. Blocks never change, and access is
 * decided before a block is read, so nothing has to be invalidated. A chain of small pages reads one
 * block many times. Later parts of large blocks are not kept: a few would evict all others.
 */
export function cacheBlocks(blocks: BlockReading, bytesMax: number): BlockReading {
  const packed = createCache<PackedBeginning>(bytesMax / 4, ({ bytes }) => bytes.length);
  return {
    ...cacheTexts<Buffer>(blocks, (first) => first.length, (3 * bytesMax) / 4),
    readPart: blocks.readPart,
    readPacked: (place) => packed.read(packedId(place), () => blocks.readPacked(place)),
    keepPacked: blocks.keepPacked,
    readDescriptionKeys: blocks.readDescriptionKeys,
  };
}

/** The same for blocks as they are stored. */
export function cacheStoredBlocks(
  { readStoredAssets: readAssets, readStoredTexts: readTexts, readPart }: BlockStore,
  bytesMax: number,
): StoredReading<PackedBytes> & Pick<BlockReading, 'readPart'> {
  const cached = cacheTexts({ readAssets, readTexts }, ({ packed }) => packed.length, bytesMax);
  return { ...cached, readPart };
}

function cacheTexts<First>(
  blocks: StoredReading<First>,
  lengthOf: (first: First) => number,
  bytesMax: number,
): StoredReading<First> {
  const assets = createCache<AssetBlock<First>>(bytesMax / 3, (block) =>
    lengthOf(block.assets.first),
  );
  const texts = createCache<BlockTexts<First>>((2 * bytesMax) / 3, ({ first }) => lengthOf(first));
  return {
    readAssets: (set, index) => assets.read(`${set}/${index}`, () => blocks.readAssets(set, index)),
    readTexts: (set, index) => texts.read(`${set}/${index}`, () => blocks.readTexts(set, index)),
  };
}

/** What holds a value, so that small ones count too. */
const entryBytes = 64 * 1024;

function createCache<Value extends NonNullable<unknown>>(
  bytesMax: number,
  bufferOf: (value: Value) => number,
) {
  const values = new LRUCache<string, Value>({
    // Without any room an entry is larger than the cache and is not kept.
    maxSize: Math.max(1, Math.floor(bytesMax)),
    sizeCalculation: (value) => bufferOf(value) + entryBytes,
  });
  /** Requests for the same value share its loading. */
  const loading = new Map<string, Promise<Value | undefined>>();
  async function keep(key: string, load: () => Promise<Value | undefined>) {
    const loaded = await load();
    if (loaded !== undefined) values.set(key, loaded);
    return loaded;
  }
  return {
    async read(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
      const cached = values.get(key);
      if (cached !== undefined) return cached;
      const shared = loading.get(key) ?? keep(key, load).finally(() => loading.delete(key));
      loading.set(key, shared);
      return await shared;
    },
  };
}
