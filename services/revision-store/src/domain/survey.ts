import { pageRowsMax } from '@inventory/contracts/staged-rows';
import type { PageSurvey } from './page-survey.ts';
import type { Lines } from './set-digest.ts';
import { withCapacity } from './with-capacity.ts';

/**
 * Where a row's text lies among the staged pages: page and row as one number, because a survey
 * holds one for each of up to a million assets.
 */
export type RowSource = number;

/** No page carried this description. */
export const missingSource: RowSource = -1;
const sourceAt = (page: number, row: number): RowSource => page * pageRowsMax + row;
export const pageOf = (source: RowSource): number => Math.floor(source / pageRowsMax);
export const rowNumberOf = (source: RowSource): number => source % pageRowsMax;

/**
 * What a scan observed, without its texts: columns by position (assets in the platform's order,
 * each once) and by description number. Texts stay in the staged pages until they are written, so
 * that memory does not grow with them.
 */
export interface Survey {
  /** Of assets, by position. */
  readonly identities: string[];
  /** Of assets, by identity. */
  readonly positions: Map<string, number>;
  /** By position, with capacity for more. Flat: arrays of them take a scan over its memory. */
  readonly assets: AssetColumns;
  /** Different amounts, each once. */
  readonly amounts: string[];
  readonly amountNumbers: Map<string, number>;
  readonly descriptionNumbers: Map<string, number>;
  readonly descriptionKeys: string[];
  /** Where each description was read last. */
  readonly descriptionSources: RowSource[];
  /** 0 for one that no page carried. */
  readonly descriptionBytes: number[];
  readonly textDigests: string[];
  /** From where on every page that carries the description carries the text that was read last. */
  readonly textSince: RowSource[];
  /** Per page: the number of the description in each row. */
  readonly pageDescriptions: Uint32Array[];
  pages: number;
  /** Assets of the last page, and how many of them no page before it had. */
  lastPage: { readonly assets: number; readonly added: number };
}

interface AssetColumns {
  /** Where the row of each lies. */
  sources: Int32Array;
  bytes: Uint32Array;
  /** Of each row: a digest of 48 bits. */
  texts: Float64Array;
  /** Numbers of amounts. */
  amountOf: Uint32Array;
  /** Numbers of descriptions. */
  descriptionOf: Uint32Array;
}

export function openSurvey(): Survey {
  return {
    identities: [],
    positions: new Map(),
    assets: {
      sources: new Int32Array(),
      bytes: new Uint32Array(),
      texts: new Float64Array(),
      amountOf: new Uint32Array(),
      descriptionOf: new Uint32Array(),
    },
    amounts: [],
    amountNumbers: new Map(),
    descriptionNumbers: new Map(),
    descriptionKeys: [],
    descriptionSources: [],
    descriptionBytes: [],
    textDigests: [],
    textSince: [],
    pageDescriptions: [],
    pages: 0,
    lastPage: { assets: 0, added: 0 },
  };
}

/**
 * Adds the next page of the manifest. An asset keeps the position where it was first seen and the
 * row that was seen last, since a later page is later evidence; the same holds for descriptions.
 */
export function addPage(survey: Survey, page: PageSurvey): void {
  const before = survey.identities.length;
  const numbers = page.keys.map((key) => descriptionNumber(survey, key));
  const positions = page.identities.map((identity) => positionOf(survey, identity));
  const { assets } = survey;
  makeRoom(assets, survey.identities.length);
  for (const [row, position] of positions.entries()) {
    assets.sources[position] = sourceAt(survey.pages, row);
    assets.bytes[position] = bytesOf(page.assets, row);
    assets.texts[position] = page.assetTexts[row] ?? 0;
    assets.amountOf[position] = amountNumber(survey, page.amounts[row] ?? '');
    assets.descriptionOf[position] = numbers[page.assetKeys[row] ?? 0] ?? 0;
  }
  const described = Uint32Array.from(page.descriptionKeys, (key) => numbers[key] ?? 0);
  for (const [row, number] of described.entries()) {
    const source = sourceAt(survey.pages, row);
    const text = page.descriptionTexts[row] ?? '';
    if (survey.textDigests[number] !== text) survey.textSince[number] = source;
    survey.descriptionSources[number] = source;
    survey.descriptionBytes[number] = bytesOf(page.descriptions, row);
    survey.textDigests[number] = text;
  }
  survey.pageDescriptions.push(described);
  survey.pages += 1;
  survey.lastPage = { assets: positions.length, added: survey.identities.length - before };
}

function positionOf({ identities, positions }: Survey, identity: string): number {
  const known = positions.get(identity);
  if (known !== undefined) return known;
  positions.set(identity, identities.length);
  return identities.push(identity) - 1;
}

function makeRoom(assets: AssetColumns, count: number): void {
  assets.sources = withCapacity(assets.sources, count);
  assets.bytes = withCapacity(assets.bytes, count);
  assets.texts = withCapacity(assets.texts, count);
  assets.amountOf = withCapacity(assets.amountOf, count);
  assets.descriptionOf = withCapacity(assets.descriptionOf, count);
}

function amountNumber({ amounts, amountNumbers }: Survey, amount: string): number {
  const known = amountNumbers.get(amount);
  if (known !== undefined) return known;
  amountNumbers.set(amount, amounts.length);
  return amounts.push(amount) - 1;
}

function bytesOf(spans: readonly number[], row: number): number {
  return (spans[2 * row + 1] ?? 0) - (spans[2 * row] ?? 0);
}

/**
 * Whether most of the last page was on pages before it although assets are missing: the platform lost
 * its cursor and began again, and its end is not the end.
 */
export function endsInRepetition(survey: Survey, reportedTotalCount: number): boolean {
  return repeatsAtEnd(survey) && totalCount(survey) < reportedTotalCount;
}

/** Whether most of the last page is on those before it. */
export function repeatsAtEnd({ pages, lastPage }: Survey): boolean {
  return pages > 1 && 2 * lastPage.added < lastPage.assets;
}

/**
 * Where these pages carry descriptions, by description number; only texts equal to those that were
 * read last.
 */
export function textsOn(survey: Survey, pages: Iterable<number>): ReadonlyMap<number, RowSource> {
  const sources = new Map<number, RowSource>();
  for (const page of pages) {
    for (const [row, number] of (survey.pageDescriptions[page] ?? []).entries()) {
      const source = sourceAt(page, row);
      if (source >= (survey.textSince[number] ?? source)) sources.set(number, source);
    }
  }
  return sources;
}

function descriptionNumber(survey: Survey, key: string): number {
  const known = survey.descriptionNumbers.get(key);
  if (known !== undefined) return known;
  const number = survey.descriptionKeys.length;
  survey.descriptionNumbers.set(key, number);
  survey.descriptionKeys.push(key);
  survey.descriptionSources.push(missingSource);
  survey.descriptionBytes.push(0);
  survey.textDigests.push('');
  survey.textSince.push(missingSource);
  return number;
}

export function totalCount(survey: Survey): number {
  return survey.identities.length;
}

/** The amount of the asset at a position. */
export function amountAt({ amounts, assets }: Survey, position: number): string {
  return amounts[assets.amountOf[position] ?? 0] ?? '';
}

/** The key of the description of the asset at a position. */
export function keyAt({ descriptionKeys, assets }: Survey, position: number): string {
  return descriptionKeys[assets.descriptionOf[position] ?? 0] ?? '';
}

/** Exact: a sum of stacks may exceed 2^53. */
export function totalAmount({ amounts, assets, identities }: Survey): bigint {
  const counts = amounts.map(() => 0);
  for (const amount of assets.amountOf.subarray(0, identities.length)) {
    counts[amount] = (counts[amount] ?? 0) + 1;
  }
  return amounts.reduce((sum, amount, at) => sum + BigInt(amount) * BigInt(counts[at] ?? 0), 0n);
}

/** A digest of the rows of all assets in any order: each names its asset. */
export function rowsDigest({ assets, identities }: Survey): string {
  const texts = assets.texts.subarray(0, identities.length);
  return texts.reduce((sum, text) => (sum + text) % 2 ** 48, 0).toString(16);
}

/** One line per asset: what changes when ownership changes, and nothing else. */
export function ownershipLines(survey: Survey): Lines {
  const { identities, assets } = survey;
  const keys = survey.descriptionKeys.map((key) => JSON.stringify(key));
  return {
    length: identities.length,
    // The JSON of an array of the three, without the array.
    at: (position) =>
      `[${JSON.stringify(identities[position])},"${amountAt(survey, position)}",${keys[assets.descriptionOf[position] ?? 0]}]`,
  };
}

/** The numbers of the descriptions that assets need. */
export function neededDescriptions(survey: Survey): ReadonlySet<number> {
  return new Set(survey.assets.descriptionOf.subarray(0, survey.identities.length));
}

/** One line per needed description, with the digest of its text, empty when it is missing. */
export function textLines(survey: Survey, needed: ReadonlySet<number>): Lines {
  return [...needed].map((number) =>
    JSON.stringify([survey.descriptionKeys[number], survey.textDigests[number]]),
  );
}
