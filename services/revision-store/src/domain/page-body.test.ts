import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { cutByBytes, joinTexts, partEnd, type TextPart } from './joined-texts.ts';
import {
  type BlockContent,
  type BlockRange,
  fittingRanges,
  nextPosition,
  type PageBounds,
  type PagePart,
  pageBody,
  rangesOfPage,
} from './page-body.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 2, numRuns: 10_000, endOnFailure: true };

/** An inventory as it was stored: texts with whitespace as odd as JSON allows. */
interface Stored {
  readonly blockAssets: number;
  /** Of one part of a block. */
  readonly partBytes: number;
  /** Of one page. */
  readonly pageBytes: number;
  readonly assetTexts: readonly string[];
  /** Per asset: the revision-wide number of its description. */
  readonly numbers: readonly number[];
  /** By number; undefined is missing. */
  readonly descriptionTexts: readonly (string | undefined)[];
}

const oddText = fc
  .record({
    id: fc.constantFrom('1', '90071992547409931', 'ß,]['),
    before: fc.constantFrom('', ' ', '\n\t', '\r\n  '),
    inside: fc.constantFrom('', ' ', '  \n'),
  })
  .map(({ id, before, inside }) => `${before}{${inside}"id"${inside}: ${JSON.stringify(id)}}`);

const stored: fc.Arbitrary<Stored> = fc
  .record({
    blockAssets: fc.integer({ min: 1, max: 6 }),
    partBytes: fc.constantFrom(1, 20, 50, 1_000),
    pageBytes: fc.constantFrom(1, 40, 100, 300, 10_000),
    assetTexts: fc.array(oddText, { maxLength: 20 }),
    picks: fc.array(fc.nat({ max: 5 }), { minLength: 20, maxLength: 20 }),
    descriptionTexts: fc.array(fc.option(oddText, { nil: undefined, freq: 3 }), {
      minLength: 6,
      maxLength: 6,
    }),
  })
  .map(({ picks, ...rest }) => ({ ...rest, numbers: picks.slice(0, rest.assetTexts.length) }));

const bytesOf = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));

function inParts(texts: readonly (string | undefined)[], partBytes: number): TextPart[] {
  const buffers = texts.map(bytesOf);
  const starts = cutByBytes(joinTexts(buffers).lengths, partBytes);
  return starts.map((from, part) => ({
    from,
    joined: joinTexts(buffers.slice(from, partEnd(starts, part, buffers.length))),
  }));
}

function blocksOf(inventory: Stored): BlockContent[] {
  const { blockAssets, partBytes, assetTexts, numbers, descriptionTexts } = inventory;
  const blocks: BlockContent[] = [];
  for (let from = 0; from < assetTexts.length; from += blockAssets) {
    const own = numbers.slice(from, from + blockAssets);
    const locals = [...new Set(own)];
    blocks.push({
      assets: inParts(assetTexts.slice(from, from + blockAssets), partBytes),
      descriptionOf: Uint16Array.from(own, (number) => locals.indexOf(number)),
      descriptionNumbers: Uint32Array.from(locals),
      texts: inParts(
        locals.map((number) => descriptionTexts[number]),
        partBytes,
      ),
    });
  }
  return blocks;
}

interface Slicing {
  /** The runs of a page that fit into so many bytes. */
  readonly ranges: (
    request: PageBounds,
    blocks: readonly BlockContent[],
    pageBytes: number,
  ) => BlockRange[];
  readonly body: (parts: readonly PagePart[]) => Buffer;
  readonly next: typeof nextPosition;
}

const wholeBody = (parts: readonly PagePart[]) => Buffer.concat(pageBody(parts));

const lengthsOf = (parts: readonly TextPart[]) =>
  Uint32Array.from(parts.flatMap(({ joined }) => [...joined.lengths]));

function rangesThatFit(
  request: PageBounds,
  blocks: readonly BlockContent[],
  pageBytes: number,
): BlockRange[] {
  const outlined = rangesOfPage(request).map((range) => {
    const { assets, texts, ...join } = blocks[range.index] as BlockContent;
    const outline = { ...join, assetLengths: lengthsOf(assets), textLengths: lengthsOf(texts) };
    return { range, outline };
  });
  return fittingRanges(outlined, pageBytes);
}

const faultless: Slicing = { ranges: rangesThatFit, body: wholeBody, next: nextPosition };

interface Page {
  readonly text: string;
  readonly next: number | null;
}

function readPage(
  slicing: Slicing,
  blocks: readonly BlockContent[],
  request: PageBounds,
  pageBytes: number,
): Page {
  const ranges = slicing.ranges(request, blocks, pageBytes);
  const parts = ranges.map((range) => ({ range, content: blocks[range.index] as BlockContent }));
  return { text: slicing.body(parts).toString(), next: slicing.next(request, ranges) };
}

/** The page put together from the stored texts themselves. */
function expectedPage(inventory: Stored, from: number, to: number): string {
  const assets = inventory.assetTexts.slice(from, to);
  const given = new Set<number>();
  const descriptions: string[] = [];
  const blocks = Math.ceil(inventory.assetTexts.length / inventory.blockAssets);
  for (let block = 0; block < blocks; block += 1) {
    const start = block * inventory.blockAssets;
    const own = inventory.numbers.slice(start, start + inventory.blockAssets);
    const used = new Set(own.filter((_, index) => start + index >= from && start + index < to));
    for (const number of new Set(own)) {
      const text = inventory.descriptionTexts[number];
      if (used.has(number) && !given.has(number) && text !== undefined) descriptions.push(text);
      if (used.has(number)) given.add(number);
    }
  }
  return `"assets":[${assets.join(',')}],"descriptions":[${descriptions.join(',')}]`;
}

const emptyBytes = '"assets":[],"descriptions":[]'.length;
/** Each text counts with a comma, also the last one of a list. */
const lastCommas = 2;

function anyPage(slicing: Slicing) {
  return fc.property(
    stored,
    fc.nat({ max: 20 }),
    fc.integer({ min: 1, max: 22 }),
    (inventory, at, pageSize) => {
      const totalCount = inventory.assetTexts.length;
      const position = Math.min(at, Math.max(0, totalCount - 1));
      const { blockAssets } = inventory;
      const request = { position, pageSize, totalCount, blockAssets };

      const blocks = blocksOf(inventory);
      const { text, next } = readPage(slicing, blocks, request, inventory.pageBytes);

      const end = next ?? totalCount;
      expect(text).toBe(expectedPage(inventory, position, end));
      expect(() => JSON.parse(`{${text}}`)).not.toThrow();
      expect(end - position).toBeLessThanOrEqual(pageSize);
      // It is as large as it may be: one more asset would be too many, or too large.
      const bytesTo = (to: number) =>
        Buffer.byteLength(expectedPage(inventory, position, to)) - emptyBytes;
      expect(end - position > 1 && bytesTo(end) > inventory.pageBytes).toBe(false);
      const isFull = () => bytesTo(end + 1) > inventory.pageBytes - lastCommas;
      expect(end === totalCount || end - position === pageSize || isFull()).toBe(true);
    },
  );
}

/** The page size may change within a chain. */
function anyChain(slicing: Slicing) {
  const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
  return fc.property(stored, sizes, (inventory, pageSizes) => {
    const blocks = blocksOf(inventory);
    const totalCount = inventory.assetTexts.length;
    const ids: unknown[] = [];
    let position: number | null = 0;
    for (let pages = 0; position !== null; pages += 1) {
      expect(pages).toBeLessThanOrEqual(totalCount);
      const pageSize = pageSizes.next().value as number;
      const { blockAssets } = inventory;
      const request: PageBounds = { position, pageSize, totalCount, blockAssets };
      const { text, next } = readPage(slicing, blocks, request, inventory.pageBytes);
      ids.push(...JSON.parse(`{${text}}`).assets);
      position = next;
    }

    expect(ids).toEqual(inventory.assetTexts.map((text) => JSON.parse(text)));
  });
}

/** The numbers of descriptions are not those of the whole revision. */
const blocksApart: Slicing = {
  ...faultless,
  body: (parts) =>
    wholeBody(
      parts.map(({ range, content }) => ({
        range,
        content: {
          ...content,
          descriptionNumbers: content.descriptionNumbers.map(
            (number) => number + range.index * 100,
          ),
        },
      })),
    ),
};
const skipping: Slicing = {
  ...faultless,
  next: (request, ranges) => {
    const next = nextPosition(request, ranges);
    return next === null || next + 1 >= request.totalCount ? null : next + 1;
  },
};

describe('A page of Current (Reads: page_size, chains, descriptions) [current-pinned-chain, page-size, descriptions]', () => {
  it('is made of the stored bytes, each needed description once, at any size and position [descriptions]', () => {
    fc.assert(anyPage(faultless), { numRuns: propertyRuns(2_000) });
  });

  it('continues where the one before ended, until every asset was given once', () => {
    fc.assert(anyChain(faultless), { numRuns: propertyRuns(2_000) });
  });

  it.each<[string, typeof anyPage | typeof anyChain, Slicing]>([
    ['a description of two blocks is given twice', anyPage, blocksApart],
    ['a page is as large as its assets are', anyPage, { ...faultless, ranges: rangesOfPage }],
    ['the chain skips an asset', anyChain, skipping],
  ])('is caught when %s', (_fault, property, planted) => {
    const outcome = fc.check(property(planted) as fc.IProperty<unknown>, faultRuns);

    expect(outcome.failed).toBe(true);
    expect(String(outcome.errorInstance)).toContain('expect(');
  });

  it('of an empty inventory has two empty lists', () => {
    const request = { position: 0, pageSize: 2000, totalCount: 0, blockAssets: 2000 };

    expect(wholeBody([]).toString()).toBe('"assets":[],"descriptions":[]');
    expect(rangesOfPage(request)).toEqual([]);
    expect(nextPosition(request, [])).toBeNull();
  });

  it('of the common size is one whole block, whose bytes are not cut', () => {
    const request = { position: 4000, pageSize: 2000, totalCount: 250_000, blockAssets: 2000 };

    expect(rangesOfPage(request)).toEqual([{ index: 2, from: 0, to: 2000 }]);
  });
});
