import { type JoinedTexts, joinPieces, pickTexts, sliceTexts } from './joined-texts.ts';

/** A run of assets within one block; `to` is the first one not in it. */
export interface BlockRange {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

export interface PageRequest {
  readonly position: number;
  readonly pageSize: number;
  readonly totalCount: number;
  readonly blockAssets: number;
}

/** What is stored of one block, in one language. */
export interface BlockContent {
  readonly assets: JoinedTexts;
  readonly descriptionOf: Uint16Array;
  readonly descriptionNumbers: Uint32Array;
  readonly texts: JoinedTexts;
}

export interface PagePart {
  readonly range: BlockRange;
  readonly content: BlockContent;
}

/** Which runs of which blocks make a page, in order. None when the page is empty. */
export function rangesOfPage(request: PageRequest): BlockRange[] {
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

/** Where the page after this one begins; null after the last. */
export function nextPosition(request: PageRequest): number | null {
  const end = request.position + request.pageSize;
  return end < request.totalCount ? end : null;
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
      parts.map(({ range, content }) => sliceTexts(content.assets, range.from, range.to)),
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
    return [texts.bytes];
  }
  const needed = new Set(descriptionOf.subarray(range.from, range.to));
  const fresh = new Set([...needed].filter((local) => !given.has(numberOf(local))));
  for (const local of fresh) given.add(numberOf(local));
  return pickTexts(texts, (local) => fresh.has(local));
}
