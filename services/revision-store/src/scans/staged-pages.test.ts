import { zstdCompressSync } from 'node:zlib';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { only } from '@inventory/testkit/only';
import { sha256Hex } from '../domain/sha256.ts';
import type { ChunkPosition, StagedChunk } from '../storage/chunk-store.ts';
import { surveyPage } from './read-staged-page.ts';
import { openStagedPages } from './staged-pages.ts';

const mebibyte = 1024 * 1024;

interface Staging {
  readonly pack?: (content: Buffer) => Buffer;
  /** Whether pages were surveyed when they were staged. */
  readonly isSurveyed?: boolean;
}

/** Staged pages of one row each, and how often each was read from the store. */
function stage(texts: readonly string[], { pack = zstdCompressSync, isSurveyed }: Staging = {}) {
  const contents = texts.map((text) => Buffer.from(text));
  const reads = contents.map(() => 0);
  const pages = contents.map((content, page): ManifestPage => {
    return { page, epoch: 1, chunks: [{ digest: sha256Hex(content), bytes: content.length }] };
  });
  const readChunks = async (positions: readonly ChunkPosition[]) =>
    positions.map(({ page }): StagedChunk => {
      const content = contents[page] ?? Buffer.alloc(0);
      reads[page] = (reads[page] ?? 0) + 1;
      return {
        digest: sha256Hex(content),
        content: { packed: pack(content), rawBytes: content.length },
      };
    });
  const readSurveys = async (_scan: string, wanted: readonly ManifestPage[]) =>
    wanted.map(({ page }) => (isSurveyed ? surveyPage(contents[page] ?? Buffer.alloc(0)) : null));
  const readSingleChunk = async (scanId: string, position: ManifestPage) => {
    const [chunk] = await readChunks([{ ...position, scanId, chunk: 0 }]);
    const [survey] = await readSurveys(scanId, [position]);
    return chunk ? { chunk, survey: survey ?? null } : null;
  };
  const chunks = { readChunks, readSurveys, readSingleChunk };
  return { reads, pages: openStagedPages(only(chunks), 'scan', pages) };
}

const pageText = (id: string) =>
  `{"assets":[{"appid":1,"contextid":"2","assetid":"${id}","classid":"3","instanceid":"0","amount":"1"}],"descriptions":[]}`;

describe('A staged page (Everything is bounded)', () => {
  it.each([
    ['surveyed when it was staged is read to be written alone', true, [0, 0]],
    ['without a survey is read once, to be surveyed and written', false, [1, 1]],
  ])('that was %s', async (_what, isSurveyed, surveyed) => {
    const { reads, pages } = stage([pageText('8'), pageText('9')], { isSurveyed });
    const surveys = await pages.readSurveys(0, 2);
    expect(reads).toEqual(surveyed);

    const [page, again] = [await pages.readPage(1), await pages.readPage(1)];

    expect(surveys?.map(({ identities }) => identities[0])).toEqual([
      '[1,"2","asset","8"]',
      '[1,"2","asset","9"]',
    ]);
    expect(reads[1]).toBe(1);
    const [text, textAgain] = [page?.assets.text(), again?.assets.text()];
    expect(String(text)).toBe(pageText('9'));
    expect(textAgain).toEqual(text);
    const [start, end] = page?.assets.spans ?? [];
    expect(text?.toString('utf8', start, end)).toBe(pageText('9').slice(11, -20));
  });

  it.each([
    ['surveyed', true],
    ['not surveyed', false],
  ])(
    'that is all of its scan, %s, is read once, to be compared and to be written',
    async (_what, isSurveyed) => {
      const { reads, pages } = stage([pageText('8')], { isSurveyed });
      const surveys = await pages.readSurveys(0, 1);

      const [page, again] = [await pages.readPage(0), await pages.readPage(0)];

      expect(surveys?.map(({ identities }) => identities[0])).toEqual(['[1,"2","asset","8"]']);
      expect(String(page?.assets.text())).toBe(pageText('8'));
      expect(again?.assets.text()).toEqual(page?.assets.text());
      expect(reads).toEqual([1]);
    },
  );

  it('is read again where its scan is larger than what is remembered', async () => {
    const filler = Buffer.alloc(mebibyte);
    const { reads, pages } = stage(
      Array.from({ length: 24 }, (_, page) => pageText(String(page + 1))),
      // As large as it would be if nothing in it repeated.
      { pack: (content) => Buffer.concat([zstdCompressSync(content), skippable, filler]) },
    );
    await pages.readSurveys(0, pages.count);

    for (let page = 0; page < pages.count; page += 1) {
      expect(String((await pages.readPage(page))?.assets.text())).toBe(pageText(String(page + 1)));
    }

    const again = reads.filter((count) => count === 2).length;
    expect(again).toBeGreaterThan(0);
    expect(reads.length - again).toBeGreaterThan(6);
  });
});

/** The header of a zstd frame that decoders skip, as long as the filler. */
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0x00, 0x00, 0x10, 0x00]);
