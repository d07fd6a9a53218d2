import type { JoinedTexts } from '../domain/joined-texts.ts';
import type { AssetBlock, BlockStore } from './block-store.ts';

export type BlockReading = Pick<BlockStore, 'readAssets' | 'readTexts'>;

/**
 * Keeps the blocks that were read last, unpacked, up to so many bytes. Blocks never change, and
 * whether one may still be read is decided before it is asked for, so nothing has to be
 * invalidated. A chain of small pages reads one block many times.
 */
export function cacheBlocks(blocks: BlockReading, bytesMax: number): BlockReading {
  const assets = createCache<AssetBlock>(bytesMax / 4, (block) => block.assets.bytes.length);
  const texts = createCache<JoinedTexts>(bytesMax - bytesMax / 4, (block) => block.bytes.length);
  return {
    readAssets: (set, index) => assets.read(`${set}/${index}`, () => blocks.readAssets(set, index)),
    readTexts: (set, index) => texts.read(`${set}/${index}`, () => blocks.readTexts(set, index)),
  };
}

/** Small values count with what holds them. */
const entryBytes = 64 * 1024;

function createCache<Value>(bytesMax: number, bytesOf: (value: Value) => number) {
  /** Least recently read first. */
  const kept = new Map<string, Value>();
  let bytes = 0;
  const sizeOf = (value: Value): number => bytesOf(value) + entryBytes;

  function keep(key: string, value: Value): void {
    if (kept.has(key)) return;
    kept.set(key, value);
    bytes += sizeOf(value);
    for (const [oldest, held] of kept) {
      if (bytes <= bytesMax) return;
      kept.delete(oldest);
      bytes -= sizeOf(held);
    }
  }

  return {
    async read(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
      const known = kept.get(key);
      if (known !== undefined) {
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      const loaded = await load();
      if (loaded !== undefined) keep(key, loaded);
      return loaded;
    },
  };
}
