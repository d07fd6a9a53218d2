import { missingSource, type RowSource, type Survey, totalCount } from './survey.ts';

/** What goes into one block of a new revision, and where its texts come from. */
export interface BlockPlan {
  readonly index: number;
  readonly assetSources: readonly RowSource[];
  /** Per asset: the index of its description in this block's own list. */
  readonly descriptionOf: readonly number[];
  /** Per description of the block: its number within the revision, to tell it in another block. */
  readonly descriptionNumbers: readonly number[];
  readonly descriptionKeys: readonly string[];
}

/** The texts of one block in one language. */
export interface TextPlan {
  readonly index: number;
  readonly sources: readonly RowSource[];
}

export function blockCount(assets: number, blockAssets: number): number {
  return Math.ceil(assets / blockAssets);
}

/** Descriptions are numbered within a block in the order in which its assets first need them. */
export function planBlock(survey: Survey, index: number, blockAssets: number): BlockPlan {
  const from = index * blockAssets;
  const to = Math.min(from + blockAssets, totalCount(survey));
  const numbers = survey.descriptionOf.slice(from, to);
  const locals = new Map<number, number>();
  for (const number of numbers) if (!locals.has(number)) locals.set(number, locals.size);
  const descriptionNumbers = [...locals.keys()];
  return {
    index,
    assetSources: survey.assetSources.slice(from, to),
    descriptionOf: numbers.map((number) => locals.get(number) ?? 0),
    descriptionNumbers,
    descriptionKeys: descriptionNumbers.map((number) => survey.descriptionKeys[number] ?? ''),
  };
}

/** The same scan's texts for a block that is stored already, in that block's own numbering. */
export function planTexts(survey: Survey, index: number, keys: readonly string[]): TextPlan {
  return { index, sources: keys.map((key) => sourceOfText(survey, key)) };
}

function sourceOfText(survey: Survey, key: string): RowSource {
  const number = survey.descriptionNumbers.get(key);
  return number === undefined
    ? missingSource
    : (survey.descriptionSources[number] ?? missingSource);
}
