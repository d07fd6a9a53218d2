import type { PackedBeginning } from '@inventory/http/packed-body';
import { LRUCache } from 'lru-cache';
import { type AssetBlock, type BlockStore, type BlockTexts, packedId } from './block-store.ts';

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
  const assets = createCache<AssetBlock>(bytesMax / 4, (block) => block.assets.first.length);
  const texts = createCache<BlockTexts>(bytesMax / 2, (block) => block.first.length);
  const packed = createCache<PackedBeginning>(bytesMax / 4, ({ bytes }) => bytes.length);
  return {
    readAssets: (set, index) => assets.read(`${set}/${index}`, () => blocks.readAssets(set, index)),
    readTexts: (set, index) => texts.read(`${set}/${index}`, () => blocks.readTexts(set, index)),
    readPart: blocks.readPart,
    readPacked: (place) => packed.read(packedId(place), () => blocks.readPacked(place)),
    keepPacked: blocks.keepPacked,
    readDescriptionKeys: blocks.readDescriptionKeys,
  };
}

/** What holds a value, so that small ones count too. */
const entryBytes = 64 * 1024;

function createCache<Value extends NonNullable<unknown>>(
  bytesMax: number,
  bytesOf: (value: Value) => number,
) {
  const values = new LRUCache<string, Value>({
    // Without any room an entry is larger than the cache and is not kept.
    maxSize: Math.max(1, Math.floor(bytesMax)),
    sizeCalculation: (value) => bytesOf(value) + entryBytes,
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
