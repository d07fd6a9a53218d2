import { numberOf } from './numbered-texts.ts';
import {
  missingSource,
  pageOf,
  type RowSource,
  type Survey,
  textsOn,
  totalCount,
} from './survey.ts';

/** What goes into one block of a new revision, and where its texts come from. */
export interface BlockPlan {
  readonly index: number;
  readonly assets: TextPlan;
  /** Per asset: the index of its description in this block's own list. */
  readonly descriptionOf: readonly number[];
  /** Per description of the block: its number within the revision, to find it in another block. */
  readonly descriptionNumbers: readonly number[];
  readonly descriptionKeys: readonly string[];
}

/** Texts of one block: where each lies, and its length in bytes, 0 for one that is missing. */
export interface TextPlan {
  readonly sources: readonly RowSource[];
  readonly lengths: Uint32Array;
}

/** Behind every block of a revision: the texts that its changes need, by their blocks. */
export const changeTextsFrom = 65_536;

export function blockCount(assets: number, blockAssets: number): number {
  return Math.ceil(assets / blockAssets);
}

/** Descriptions are numbered within a block in the order in which its assets first need them. */
export function planBlock(survey: Survey, index: number, blockAssets: number): BlockPlan {
  const [from, to] = rangeOf(survey, index, blockAssets);
  const numbers = survey.descriptionOf.slice(from, to);
  const locals = new Map<number, number>();
  for (const number of numbers) if (!locals.has(number)) locals.set(number, locals.size);
  const descriptionNumbers = [...locals.keys()];
  return {
    index,
    assets: {
      sources: survey.assetSources.slice(from, to),
      lengths: Uint32Array.from(survey.assetBytes.slice(from, to)),
    },
    descriptionOf: numbers.map((number) => locals.get(number) ?? 0),
    descriptionNumbers,
    descriptionKeys: descriptionNumbers.map((number) => survey.descriptionKeys[number] ?? ''),
  };
}

/**
 * The scan's texts for a block, in that block's own numbering: from the pages that carry the
 * block's assets where these carry the text, so that writing a block reads few pages.
 */
export function planTexts(
  survey: Survey,
  index: number,
  blockAssets: number,
  keys: readonly string[],
): TextPlan {
  const [from, to] = rangeOf(survey, index, blockAssets);
  const near = textsOn(survey, new Set(survey.assetSources.slice(from, to).map(pageOf)));
  const numbers = keys.map((key) => survey.descriptionNumbers.get(key) ?? -1);
  return {
    sources: numbers.map(
      (number) => near.get(number) ?? survey.descriptionSources[number] ?? missingSource,
    ),
    lengths: Uint32Array.from(numbers, (number) => survey.descriptionBytes[number] ?? 0),
  };
}

/** The scan's texts of these descriptions, wherever it read them last. */
export function planDescriptions(survey: Survey, keys: readonly string[]): TextPlan {
  const numbers = keys.map((key) => survey.descriptionNumbers.get(key) ?? -1);
  return {
    sources: numbers.map((number) => survey.descriptionSources[number] ?? missingSource),
    lengths: Uint32Array.from(numbers, (number) => survey.descriptionBytes[number] ?? 0),
  };
}

/** The scan's rows of the assets of a block that is stored, in the order that they have there. */
export function planRows(survey: Survey, identities: readonly string[]): TextPlan {
  const positions = identities.map((identity) => numberOf(survey.identities, identity));
  return {
    sources: positions.map((position) => survey.assetSources[position] ?? missingSource),
    lengths: Uint32Array.from(positions, (position) => survey.assetBytes[position] ?? 0),
  };
}

function rangeOf(survey: Survey, index: number, blockAssets: number): readonly [number, number] {
  const from = index * blockAssets;
  return [from, Math.min(from + blockAssets, totalCount(survey))];
}
