import { zstdCompressSync } from 'node:zlib';
import type { ManifestPage } from '../domain/scan.ts';
import type { ChunkPlace, StagedChunk } from '../storage/chunk-store.ts';
import { sha256Hex } from './sha256.ts';
import { openStagedPages } from './staged-pages.ts';

const mebibyte = 1024 * 1024;

/** Staged pages of one row each, and how often each was read from the store. */
function stage(texts: readonly string[], pack = zstdCompressSync) {
  const contents = texts.map((text) => Buffer.from(text));
  const reads = contents.map(() => 0);
  const pages = contents.map((content, page): ManifestPage => {
    return { page, epoch: 1, chunks: [{ digest: sha256Hex(content), bytes: content.length }] };
  });
  const readChunks = async (places: readonly ChunkPlace[]) =>
    places.map(({ page }): StagedChunk => {
      const content = contents[page] ?? Buffer.alloc(0);
      reads[page] = (reads[page] ?? 0) + 1;
      return {
        digest: sha256Hex(content),
        packed: pack(content),
        rawBytes: content.length,
      };
    });
  return { reads, pages: openStagedPages({ readChunks }, 'scan', pages) };
}

const pageText = (name: string) => `{"assets":[{"name":"${name}"}],"descriptions":[]}`;

describe('A staged page (Everything is bounded)', () => {
  it('is neither read from the store nor parsed a second time', async () => {
    const { reads, pages } = stage([pageText('a'), pageText('b')]);
    const first = await pages.readFirst(1);

    const [again, once] = [await pages.readAgain(1), await pages.readAgain(1)];

    expect(reads).toEqual([0, 1]);
    expect(String(again?.text)).toBe(String(first?.text));
    expect(again?.assets).toBe(once?.assets);
    const [start, end] = again?.assets ?? [];
    expect(again?.text.toString('utf8', start, end)).toBe('{"name":"b"}');
  });

  it('is read again where its scan is larger than what is remembered', async () => {
    const filler = Buffer.alloc(mebibyte);
    const { reads, pages } = stage(
      Array.from({ length: 40 }, (_, page) => pageText(String(page))),
      // As large as it would be if nothing in it repeated.
      (content) => Buffer.concat([zstdCompressSync(content), skippable, filler]),
    );
    for (let page = 0; page < pages.count; page += 1) await pages.readFirst(page);

    for (let page = 0; page < pages.count; page += 1) {
      expect(String((await pages.readAgain(page))?.text)).toBe(pageText(String(page)));
    }

    const again = reads.filter((count) => count === 2).length;
    expect(again).toBeGreaterThan(0);
    expect(reads.length - again).toBeGreaterThan(30);
  });
});

/** The header of a zstd frame that decoders skip, as long as the filler. */
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0x00, 0x00, 0x10, 0x00]);
