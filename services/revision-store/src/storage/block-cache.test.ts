import { cacheBlocks } from './block-cache.ts';
import type { BlockTexts, PageBlocks } from './block-store.ts';

const mebibyte = 1024 * 1024;

/** A store of text blocks of 1 MiB each that records its reads. */
function countingStore() {
  const reads: string[] = [];
  const block: BlockTexts = {
    first: Buffer.alloc(mebibyte),
    lengths: new Uint32Array(1),
    starts: [0],
  };
  const store: PageBlocks = {
    readAssets: async () => undefined,
    readDescriptionKeys: async () => undefined,
    readPart: async () => undefined,
    readPacked: async () => undefined,
    keepPacked: async () => undefined,
    readTexts: async (set, index) => {
      reads.push(`${set}/${index}`);
      return set === 'gone' ? undefined : block;
    },
  };
  return { store, reads };
}

describe('Blocks that were read', () => {
  it('are not read again while they are kept', async () => {
    const { store, reads } = countingStore();
    const cached = cacheBlocks(store, 16 * mebibyte);

    const first = await cached.readTexts('a', 0);
    const again = await cached.readTexts('a', 0);

    expect(again).toBe(first);
    expect(reads).toEqual(['a/0']);
  });

  it('are evicted by recency, so that memory is bounded', async () => {
    const { store, reads } = countingStore();
    const cached = cacheBlocks(store, 5 * mebibyte);

    for (const index of [0, 1, 0, 2]) await cached.readTexts('a', index);
    reads.length = 0;
    for (const index of [0, 2, 1]) await cached.readTexts('a', index);

    expect(reads).toEqual(['a/1']);
  });

  it('are not kept when there is no capacity for even one', async () => {
    const { store, reads } = countingStore();
    const cached = cacheBlocks(store, 0);

    await cached.readTexts('a', 0);
    await cached.readTexts('a', 0);

    expect(reads).toHaveLength(2);
  });

  it('that are missing are read each time', async () => {
    const { store, reads } = countingStore();
    const cached = cacheBlocks(store, 16 * mebibyte);

    expect(await cached.readTexts('gone', 0)).toBeUndefined();
    await cached.readTexts('gone', 0);

    expect(reads).toHaveLength(2);
  });
});
