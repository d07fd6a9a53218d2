import { missingSource, pageOf, type Survey, textsOn, totalCount } from './survey.ts';

/** What goes into one block of a new revision, and where its texts come from. */
export interface BlockPlan {
  readonly index: number;
  readonly assets: TextPlan;
  /** Per asset: the index of its description in this block's own list. */
  readonly descriptionOf: Uint16Array;
  /** Per description of the block: its number within the revision, to find it in another block. */
  readonly descriptionNumbers: readonly number[];
  readonly descriptionKeys: readonly string[];
}

/** Texts of one block: where each lies, and its length in bytes, 0 for one that is missing. */
export interface TextPlan {
  /** Sources of rows. */
  readonly sources: Int32Array;
  readonly lengths: Uint32Array;
}

/** After every block of a revision: the texts that its changes need, by their blocks. */
export const changeTextsFrom = 65_536;

export function blockCount(assets: number, blockAssets: number): number {
  return Math.ceil(assets / blockAssets);
}

/** Descriptions are numbered within a block in the order in which its assets first need them. */
export function planBlock(survey: Survey, index: number, blockAssets: number): BlockPlan {
  const [from, to] = rangeOf(survey, index, blockAssets);
  const numbers = survey.assets.descriptionOf.subarray(from, to);
  const locals = new Map<number, number>();
  for (const number of numbers) if (!locals.has(number)) locals.set(number, locals.size);
  const descriptionNumbers = [...locals.keys()];
  return {
    index,
    assets: {
      sources: survey.assets.sources.subarray(from, to),
      lengths: survey.assets.bytes.subarray(from, to),
    },
    descriptionOf: Uint16Array.from(numbers, (number) => locals.get(number) ?? 0),
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
  const near = textsOn(survey, new Set(survey.assets.sources.subarray(from, to).map(pageOf)));
  const numbers = keys.map((key) => survey.descriptionNumbers.get(key) ?? -1);
  return {
    sources: Int32Array.from(
      numbers,
      (number) => near.get(number) ?? survey.descriptionSources[number] ?? missingSource,
    ),
    lengths: Uint32Array.from(numbers, (number) => survey.descriptionBytes[number] ?? 0),
  };
}

/** The scan's texts of these descriptions, by their numbers, wherever it read them last. */
export function planDescriptions(survey: Survey, numbers: Uint32Array): TextPlan {
  return {
    sources: Int32Array.from(
      numbers,
      (number) => survey.descriptionSources[number] ?? missingSource,
    ),
    lengths: numbers.map((number) => survey.descriptionBytes[number] ?? 0),
  };
}

/** The scan's rows of the assets of a block that is stored, in the order that they have there. */
export function planRows(survey: Survey, identities: readonly string[]): TextPlan {
  const positions = identities.map((identity) => survey.positions.get(identity) ?? -1);
  return {
    sources: Int32Array.from(positions, (at) => survey.assets.sources[at] ?? missingSource),
    lengths: Uint32Array.from(positions, (at) => survey.assets.bytes[at] ?? 0),
  };
}

function rangeOf(survey: Survey, index: number, blockAssets: number): readonly [number, number] {
  const from = index * blockAssets;
  return [from, Math.min(from + blockAssets, totalCount(survey))];
}
