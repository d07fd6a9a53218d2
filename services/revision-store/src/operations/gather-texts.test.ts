import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { missingSource } from '../domain/survey.ts';
import { gatherTexts } from './gather-texts.ts';
import type { PageSpans, StagedPages } from './staged-pages.ts';

const pageRowsMax = 65_536;

/** Rows of one page, with what is between them. */
const page = fc
  .array(fc.tuple(fc.constantFrom('{}', '{"a":1}'), fc.constantFrom(',', ',', ',', ' ,', ',\n')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((rows): PageSpans => {
    const assets = new Uint32Array(2 * rows.length);
    let text = '[';
    for (const [at, [row, between]] of rows.entries()) {
      assets[2 * at] = text.length;
      assets[2 * at + 1] = text.length + row.length;
      text += row + between;
    }
    return { text: Buffer.from(text), assets, descriptions: new Uint32Array() };
  });

/** Which rows a part takes: a run of one page's, any others, or none. */
const part = fc.oneof(
  fc
    .record({ page: fc.nat(), from: fc.nat({ max: 3 }), rows: fc.nat({ max: 4 }) })
    .map((run) =>
      Array.from({ length: run.rows }, (_, at) => ({ page: run.page, row: run.from + at })),
    ),
  fc.array(fc.option(fc.record({ page: fc.nat(), row: fc.nat() })), { maxLength: 5 }),
);

const joinsTexts = (gather: typeof gatherTexts) =>
  fc.asyncProperty(
    fc.array(page, { minLength: 1, maxLength: 3 }),
    fc.array(part),
    async (pages, parts) => {
      const read: number[] = [];
      const staged: StagedPages = {
        count: pages.length,
        readSurveys: () => Promise.reject(new Error('unused')),
        async readPage(number) {
          read.push(number);
          return pages[number] ?? null;
        },
      };
      const placed = parts.map((some) =>
        some.map((wanted) => {
          if (wanted === null) return { source: missingSource, text: '' };
          const number = wanted.page % pages.length;
          const { text, assets } = pages[number] as PageSpans;
          const row = wanted.row % (assets.length / 2);
          const written = text.toString('utf8', assets[2 * row], assets[2 * row + 1]);
          return { source: number * pageRowsMax + row, text: written };
        }),
      );
      const wanted = placed.map((some) => ({
        of: 'assets' as const,
        texts: {
          sources: some.map(({ source }) => source),
          lengths: Uint32Array.from(some, ({ text }) => text.length),
        },
      }));

      const gathered = await gather(staged, wanted, new AbortController().signal);

      const present = placed.map((some) =>
        some.map(({ text }) => text).filter((text) => text !== ''),
      );
      expect(gathered?.map(String)).toEqual(present.map((texts) => texts.join(',')));
      expect(read).toHaveLength(new Set(read).size);
    },
  );

describe('Texts of rows', () => {
  it('are joined in their order, and each page is read once', async () => {
    await fc.assert(joinsTexts(gatherTexts), { numRuns: propertyRuns(500) });
  });

  it('are found wrong when what is between two rows is taken with them', async () => {
    const planted: typeof gatherTexts = async (staged, wanted, signal) => {
      const seen = new Map<number, PageSpans | null>();
      const readPage = async (number: number) => {
        seen.set(number, await staged.readPage(number));
        return seen.get(number) ?? null;
      };
      const gathered = await gatherTexts({ ...staged, readPage }, wanted, signal);
      return (
        gathered?.map((text, at) => {
          const sources = wanted[at]?.texts.sources ?? [];
          const [from = missingSource, to = missingSource] = [sources[0], sources.at(-1)];
          const known = seen.get(Math.floor(from / pageRowsMax));
          if (!known || to < from) return text;
          const start = known.assets[2 * (from % pageRowsMax)];
          return known.text.subarray(start, known.assets[2 * (to % pageRowsMax) + 1]);
        }) ?? null
      );
    };
    const runs = { seed: 1, numRuns: 500, endOnFailure: true };
    expect((await fc.check(joinsTexts(planted), runs)).failed).toBe(true);
  });

  it('are the range of a page where they follow each other, not a copy', async () => {
    const text = Buffer.from('[{"a":1},{},{"b":2}]');
    const spans = {
      text,
      assets: Uint32Array.of(1, 8, 9, 11, 12, 19),
      descriptions: new Uint32Array(),
    };
    const staged = { count: 1, readSurveys: async () => [], readPage: async () => spans };
    const texts = { sources: [0, 1, 2], lengths: Uint32Array.of(7, 2, 7) };

    const [joined] =
      (await gatherTexts(staged, [{ of: 'assets', texts }], new AbortController().signal)) ?? [];

    expect(String(joined)).toBe('{"a":1},{},{"b":2}');
    expect(joined?.buffer).toBe(text.buffer);
    expect(joined?.byteOffset).toBe(text.byteOffset + 1);
  });
});
