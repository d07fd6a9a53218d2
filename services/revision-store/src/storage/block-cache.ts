import type { PackedBeginning } from '@inventory/http/packed-body';
import type { PackedBytes } from '@inventory/runtime/packed-bytes';
import { LRUCache } from 'lru-cache';
import {
  type AssetBlock,
  type BlockReading,
  type BlockTexts,
  type PageBlocks,
  packedId,
} from './block-store.ts';

/**
 * Caches blocks by recency, up to a number of bytes. Blocks never change, and access is
 * decided before a block is read, so nothing has to be invalidated. A chain of small pages reads one
 * block many times. Later parts of large blocks are not kept: a few would evict all others.
 */
export function cacheBlocks(blocks: PageBlocks, bytesMax: number): PageBlocks {
  const packed = createCache<PackedBeginning>(bytesMax / 4, ({ bytes }) => bytes.length);
  return {
    ...cacheTexts<Buffer>(blocks, (first) => first.length, (3 * bytesMax) / 4),
    readPacked: (position) => packed.read(packedId(position), () => blocks.readPacked(position)),
    keepPacked: blocks.keepPacked,
    readDescriptionKeys: blocks.readDescriptionKeys,
  };
}

/** The same for blocks as they are stored. */
export function cacheStoredBlocks(
  blocks: BlockReading<PackedBytes>,
  bytesMax: number,
): BlockReading<PackedBytes> {
  return cacheTexts(blocks, ({ packed }) => packed.length, bytesMax);
}

function cacheTexts<First>(
  blocks: BlockReading<First>,
  lengthOf: (first: First) => number,
  bytesMax: number,
): BlockReading<First> {
  const assets = createCache<AssetBlock<First>>(bytesMax / 3, (block) =>
    lengthOf(block.assets.first),
  );
  const texts = createCache<BlockTexts<First>>((2 * bytesMax) / 3, ({ first }) => lengthOf(first));
  return {
    readAssets: (set, index) => assets.read(`${set}/${index}`, () => blocks.readAssets(set, index)),
    readTexts: (set, index) => texts.read(`${set}/${index}`, () => blocks.readTexts(set, index)),
    readPart: blocks.readPart,
  };
}

/** What holds a value, so that small ones count too. */
const entryBytes = 64 * 1024;

function createCache<Value extends NonNullable<unknown>>(
  bytesMax: number,
  bufferOf: (value: Value) => number,
) {
  const values = new LRUCache<string, Value>({
    // Without any capacity an entry is larger than the cache and is not kept.
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
