import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { joinTexts } from './joined-texts.ts';
import {
  type BlockContent,
  nextPosition,
  type PagePart,
  type PageRequest,
  pageBody,
  rangesOfPage,
} from './page-body.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 2, numRuns: 10_000, endOnFailure: true };

/** An inventory as it was stored: texts with whitespace as odd as JSON allows. */
interface Stored {
  readonly blockAssets: number;
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
    assetTexts: fc.array(oddText, { maxLength: 20 }),
    picks: fc.array(fc.nat({ max: 5 }), { minLength: 20, maxLength: 20 }),
    descriptionTexts: fc.array(fc.option(oddText, { nil: undefined, freq: 3 }), {
      minLength: 6,
      maxLength: 6,
    }),
  })
  .map(({ picks, ...rest }) => ({ ...rest, numbers: picks.slice(0, rest.assetTexts.length) }));

const bytesOf = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));

function blocksOf({ blockAssets, assetTexts, numbers, descriptionTexts }: Stored): BlockContent[] {
  const blocks: BlockContent[] = [];
  for (let from = 0; from < assetTexts.length; from += blockAssets) {
    const own = numbers.slice(from, from + blockAssets);
    const locals = [...new Set(own)];
    blocks.push({
      assets: joinTexts(
        assetTexts.slice(from, from + blockAssets).map((text) => Buffer.from(text)),
      ),
      descriptionOf: Uint16Array.from(own, (number) => locals.indexOf(number)),
      descriptionNumbers: Uint32Array.from(locals),
      texts: joinTexts(locals.map((number) => bytesOf(descriptionTexts[number]))),
    });
  }
  return blocks;
}

interface Slicing {
  readonly ranges: typeof rangesOfPage;
  readonly body: (parts: readonly PagePart[]) => Buffer;
  readonly next: typeof nextPosition;
}

const wholeBody = (parts: readonly PagePart[]) => Buffer.concat(pageBody(parts));

const faultless: Slicing = { ranges: rangesOfPage, body: wholeBody, next: nextPosition };

function readPage(slicing: Slicing, blocks: readonly BlockContent[], request: PageRequest): string {
  const parts = slicing.ranges(request).map((range) => ({
    range,
    content: blocks[range.index] as BlockContent,
  }));
  return slicing.body(parts).toString();
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

      const given = readPage(slicing, blocksOf(inventory), request);

      expect(given).toBe(expectedPage(inventory, position, position + pageSize));
      expect(() => JSON.parse(`{${given}}`)).not.toThrow();
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
      const request: PageRequest = { position, pageSize, totalCount, blockAssets };
      const page = JSON.parse(`{${readPage(slicing, blocks, request)}}`);
      ids.push(...page.assets);
      position = slicing.next(request);
    }

    expect(ids).toEqual(inventory.assetTexts.map((text) => JSON.parse(text)));
  });
}

const withBody = (body: Slicing['body']): Slicing => ({ ...faultless, body });
const changedParts = (change: (part: PagePart) => PagePart) =>
  withBody((parts) => wholeBody(parts.map(change)));

const planted: Record<string, Slicing> = {
  'texts are parsed and written anew': withBody((parts) =>
    Buffer.from(JSON.stringify(JSON.parse(`{${wholeBody(parts)}}`)).slice(1, -1)),
  ),
  'a description of two blocks is given twice': changedParts(({ range, content }) => ({
    range,
    content: {
      ...content,
      descriptionNumbers: content.descriptionNumbers.map((number) => number + range.index * 100),
    },
  })),
  'descriptions of different blocks are confused': changedParts(({ range, content }) => ({
    range,
    content: { ...content, descriptionNumbers: content.descriptionNumbers.map((_, at) => at) },
  })),
  'every description of a touched block is given': withBody((parts) => {
    const whole = parts.map(({ content }) => content.texts.bytes).filter((bytes) => bytes.length);
    const assets = wholeBody(parts).toString().split('],"descriptions":[')[0];
    return Buffer.from(`${assets}],"descriptions":[${whole.join(',')}]`);
  }),
  'a page ends where its first block ends': {
    ...faultless,
    ranges: (request) => rangesOfPage(request).slice(0, 1),
  },
  'a page begins one asset late': {
    ...faultless,
    ranges: (request) => rangesOfPage({ ...request, position: request.position + 1 }),
  },
  'the chain skips an asset': {
    ...faultless,
    next: (request) => {
      const next = nextPosition(request);
      return next === null || next + 1 >= request.totalCount ? null : next + 1;
    },
  },
  'the chain ends one page early': {
    ...faultless,
    next: (request) =>
      nextPosition({ ...request, pageSize: request.pageSize * 2 }) && nextPosition(request),
  },
};

describe('A page of Current (Reads: page_size, chains, descriptions) [current-pinned-chain, page-size, descriptions]', () => {
  it('is made of the stored bytes, each needed description once, at any size and position [descriptions]', () => {
    fc.assert(anyPage(faultless), { numRuns: propertyRuns(2_000) });
  });

  it('continues where the one before ended, until every asset was given once', () => {
    fc.assert(anyChain(faultless), { numRuns: propertyRuns(2_000) });
  });

  it.each([
    'texts are parsed and written anew',
    'a description of two blocks is given twice',
    'descriptions of different blocks are confused',
    'every description of a touched block is given',
    'a page ends where its first block ends',
    'a page begins one asset late',
  ])('is caught when %s', (fault) => {
    const outcome = fc.check(anyPage(planted[fault] as Slicing), faultRuns);

    expect(outcome.failed).toBe(true);
    expect(String(outcome.errorInstance)).toContain('expect(');
  });

  it.each(['the chain skips an asset', 'the chain ends one page early'])(
    'is caught when %s',
    (fault) => {
      const outcome = fc.check(anyChain(planted[fault] as Slicing), faultRuns);

      expect(outcome.failed).toBe(true);
      expect(String(outcome.errorInstance)).toContain('expect(');
    },
  );

  it('of an empty inventory has two empty lists', () => {
    const request = { position: 0, pageSize: 2000, totalCount: 0, blockAssets: 2000 };

    expect(wholeBody([]).toString()).toBe('"assets":[],"descriptions":[]');
    expect(rangesOfPage(request)).toEqual([]);
    expect(nextPosition(request)).toBeNull();
  });

  it('of the common size is one whole block, whose bytes are not cut', () => {
    const request = { position: 4000, pageSize: 2000, totalCount: 250_000, blockAssets: 2000 };

    expect(rangesOfPage(request)).toEqual([{ index: 2, from: 0, to: 2000 }]);
  });
});
