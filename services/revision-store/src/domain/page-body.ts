import {
  joinedBytes,
  joinPieces,
  pickFromParts,
  sliceParts,
  type TextPart,
} from './joined-texts.ts';

/** A run of assets within one block; `to` is the first one not in it. */
export interface BlockRange {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

export interface PageBounds {
  readonly position: number;
  readonly pageSize: number;
  readonly totalCount: number;
  readonly blockAssets: number;
}

/** Which description each asset of a block needs. */
interface BlockJoin {
  readonly descriptionOf: Uint16Array;
  readonly descriptionNumbers: Uint32Array;
}

/** How large the texts of one block are, in one language. */
export interface BlockOutline extends BlockJoin {
  readonly assetLengths: Uint32Array;
  readonly textLengths: Uint32Array;
}

export interface OutlinedRange {
  readonly range: BlockRange;
  readonly outline: BlockOutline;
}

/** What is stored of one block, in one language: the parts that hold what a page needs. */
export interface BlockContent extends BlockJoin {
  readonly assets: readonly TextPart[];
  readonly texts: readonly TextPart[];
}

export interface PagePart {
  readonly range: BlockRange;
  readonly content: BlockContent;
}

/** Which runs of which blocks make a page, in order. None when the page is empty. */
export function rangesOfPage(request: PageBounds): BlockRange[] {
  const { position, blockAssets } = request;
  const end = Math.min(position + request.pageSize, request.totalCount);
  const ranges: BlockRange[] = [];
  for (let at = position; at < end; ) {
    const index = Math.floor(at / blockAssets);
    const blockEnd = Math.min((index + 1) * blockAssets, end);
    ranges.push({ index, from: at - index * blockAssets, to: blockEnd - index * blockAssets });
    at = blockEnd;
  }
  return ranges;
}

/** The block that is the whole page and wholly in it; null when there is none. */
export function wholeBlock(request: PageBounds): BlockRange | null {
  const [block, second] = rangesOfPage(request);
  if (!block || second) return null;
  const { index, from, to } = block;
  const assets = Math.min(request.blockAssets, request.totalCount - index * request.blockAssets);
  return from === 0 && to === assets ? block : null;
}

/** The part of a page that is no larger than `bytesMax`: its first assets, at least one. */
export function fittingRanges(blocks: readonly OutlinedRange[], bytesMax: number): BlockRange[] {
  const given = new Set<number>();
  const fitting: BlockRange[] = [];
  let bytes = 0;
  for (const { range, outline } of blocks) {
    for (let row = range.from; row < range.to; row += 1) {
      const local = outline.descriptionOf[row] ?? 0;
      const number = outline.descriptionNumbers[local] ?? 0;
      const textBytes = given.has(number) ? 0 : joinedBytes(outline.textLengths[local]);
      const rowBytes = joinedBytes(outline.assetLengths[row]) + textBytes;
      if (bytes > 0 && bytes + rowBytes > bytesMax) return [...fitting, { ...range, to: row }];
      given.add(number);
      bytes += rowBytes;
    }
    fitting.push(range);
  }
  return fitting;
}

/** Where the page after these ranges begins; null after the last. */
export function nextPosition(
  { position, totalCount }: PageBounds,
  ranges: readonly BlockRange[],
): number | null {
  const end = ranges.reduce((at, { from, to }) => at + to - from, position);
  return end < totalCount ? end : null;
}

/** The descriptions of a block that a run of its assets needs, in the block's own numbering. */
export function neededLocals({ from, to }: BlockRange, { descriptionOf }: BlockJoin): Set<number> {
  return new Set(descriptionOf.subarray(from, to));
}

/**
 * The two members of a page as bytes, in pieces: slices of what was stored, never parsed and never
 * copied. Each description that an asset of the page needs is there once, also when two blocks
 * carry it.
 */
export function pageBody(parts: readonly PagePart[]): Buffer[] {
  const given = new Set<number>();
  return [
    Buffer.from('"assets":['),
    ...joinPieces(
      parts.flatMap(({ range, content }) => sliceParts(content.assets, range.from, range.to)),
    ),
    Buffer.from('],"descriptions":['),
    ...joinPieces(parts.flatMap((part) => descriptionsOf(part, given))),
    Buffer.from(']'),
  ];
}

function descriptionsOf({ range, content }: PagePart, given: Set<number>): Buffer[] {
  const { descriptionOf, descriptionNumbers, texts } = content;
  const numberOf = (local: number): number => descriptionNumbers[local] ?? -1;
  const isWhole = range.from === 0 && range.to === descriptionOf.length;
  if (isWhole && given.size === 0) {
    for (const number of descriptionNumbers) given.add(number);
    return texts.map(({ joined }) => joined.bytes);
  }
  const needed = neededLocals(range, content);
  const fresh = new Set([...needed].filter((local) => !given.has(numberOf(local))));
  for (const local of fresh) given.add(numberOf(local));
  return pickFromParts(texts, (local) => fresh.has(local));
}
