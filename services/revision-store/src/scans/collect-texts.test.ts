import { zstdCompressSync } from 'node:zlib';
import { asRaw, type PackedBytes } from '@inventory/runtime/packed-bytes';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { missingSource } from '../domain/survey.ts';
import { collectTexts } from './collect-texts.ts';
import type { PageRowLists, StagedPages, StagedRows } from './staged-pages.ts';

const pageRowsMax = 65_536;

const listOf = (text: Buffer, spans: Uint32Array, from = 0): StagedRows => ({
  ...{ from, spans, packed: null },
  text: () => text.subarray(from),
  free() {},
});

/** A page that has these rows in both lists. */
const pageOf = (rows: StagedRows): PageRowLists => ({ assets: rows, descriptions: rows });

/** Rows of one page, with what is between them; stored by themselves where that is commas. */
const page = fc
  .array(fc.tuple(fc.constantFrom('{}', '{"a":1}'), fc.constantFrom(',', ',', ',', ' ,', ',\n')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((rows): StagedRows => {
    const assets = new Uint32Array(2 * rows.length);
    let text = '[';
    for (const [at, [row, between]] of rows.entries()) {
      assets[2 * at] = text.length;
      assets[2 * at + 1] = text.length + row.length;
      text += row + between;
    }
    const list = listOf(Buffer.from(text), assets, 1);
    if (rows.slice(0, -1).some(([, between]) => between !== ',')) return list;
    const raw = list.text().subarray(0, (assets.at(-1) ?? 1) - 1);
    return { ...list, packed: { packed: zstdCompressSync(raw), rawBytes: raw.length } };
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

const joinsTexts = (collect: typeof collectTexts) =>
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
          const rows = pages[number];
          return rows ? pageOf(rows) : null;
        },
      };
      const placed = parts.map((some) =>
        some.map((wanted) => {
          if (wanted === null) return { source: missingSource, text: '' };
          const number = wanted.page % pages.length;
          const { text, spans } = pages[number] as StagedRows;
          const row = wanted.row % (spans.length / 2);
          const [start = 0, end = 0] = [spans[2 * row], spans[2 * row + 1]];
          const written = text().toString('utf8', start - 1, end - 1);
          return { source: number * pageRowsMax + row, text: written };
        }),
      );
      const wanted = placed.map((some) => ({
        of: 'assets' as const,
        texts: {
          sources: Int32Array.from(some, ({ source }) => source),
          lengths: Uint32Array.from(some, ({ text }) => text.length),
        },
      }));

      const collected = await collect(staged, wanted, new AbortController().signal);

      const present = placed.map((some) =>
        some.map(({ text }) => text).filter((text) => text !== ''),
      );
      expect(collected?.map((text) => String(asRaw(text)))).toEqual(
        present.map((texts) => texts.join(',')),
      );
      expect(read).toHaveLength(new Set(read).size);
    },
  );

describe('Texts of rows', () => {
  it('are joined in their order, and each page is read once', async () => {
    await fc.assert(joinsTexts(collectTexts), { numRuns: propertyRuns(500) });
  });

  it('are found wrong when what is between two rows is taken with them', async () => {
    const planted: typeof collectTexts = async (staged, wanted, signal) => {
      const seen = new Map<number, PageRowLists | null>();
      const readPage = async (number: number) => {
        seen.set(number, await staged.readPage(number));
        return seen.get(number) ?? null;
      };
      const collected = await collectTexts({ ...staged, readPage }, wanted, signal);
      return (
        collected?.map((text, at) => {
          const sources = wanted[at]?.texts.sources ?? [];
          const [from = missingSource, to = missingSource] = [sources[0], sources.at(-1)];
          const known = seen.get(Math.floor(from / pageRowsMax))?.assets;
          if (!known || to < from) return text;
          const start = (known.spans[2 * (from % pageRowsMax)] ?? 1) - 1;
          const end = (known.spans[2 * (to % pageRowsMax) + 1] ?? 1) - 1;
          return known.text().subarray(start, end);
        }) ?? null
      );
    };
    const runs = { seed: 1, numRuns: 500, endOnFailure: true };
    expect((await fc.check(joinsTexts(planted), runs)).failed).toBe(true);
  });

  it('are the range of a page where they follow each other, not a copy', async () => {
    const text = Buffer.from('[{"a":1},{},{"b":2}]');
    const rows = listOf(text, Uint32Array.of(1, 8, 9, 11, 12, 19));
    const staged = { count: 1, readSurveys: async () => [], readPage: async () => pageOf(rows) };
    const texts = { sources: Int32Array.of(0, 1, 2), lengths: Uint32Array.of(7, 2, 7) };

    const [joined] =
      (await collectTexts(staged, [{ of: 'assets', texts }], new AbortController().signal)) ?? [];

    if (!Buffer.isBuffer(joined)) throw new Error('a range of bytes was due');
    expect(String(joined)).toBe('{"a":1},{},{"b":2}');
    expect(joined.buffer).toBe(text.buffer);
    expect(joined.byteOffset).toBe(text.byteOffset + 1);
  });

  it('stay packed, and are not unpacked, where they are a whole list of a page', async () => {
    const packed: PackedBytes = { packed: Buffer.from('as it was staged'), rawBytes: 10 };
    const rows: StagedRows = {
      ...{ from: 11, spans: Uint32Array.of(11, 18, 19, 21), packed },
      text() {
        throw new Error('unpacked');
      },
      free() {},
    };
    const staged = { count: 1, readSurveys: async () => [], readPage: async () => pageOf(rows) };
    // A description that no page has is between them.
    const texts = { sources: Int32Array.of(0, missingSource, 1), lengths: Uint32Array.of(7, 0, 2) };

    const collected = await collectTexts(
      staged,
      [{ of: 'descriptions', texts }],
      new AbortController().signal,
    );

    expect(collected).toEqual([packed]);
  });
});
