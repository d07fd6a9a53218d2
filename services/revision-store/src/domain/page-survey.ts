import type { StagedAsset, StagedDescription } from '@inventory/contracts/staged-rows';

/** A row of a page: where its text lies, and a digest of it. */
interface FoundRow<Row, Digest> {
  readonly row: Row;
  readonly start: number;
  readonly end: number;
  readonly digest: Digest;
}

export interface FoundRows {
  readonly assets: Iterable<FoundRow<StagedAsset, number>>;
  readonly descriptions: Iterable<FoundRow<StagedDescription, string>>;
}

/**
 * What an assembly needs of a page beside its text, in columns: made once, when the page is staged.
 * Texts are named by their digests, of 48 bits for the row of an asset.
 */
export interface PageSurvey {
  readonly identities: readonly string[];
  readonly amounts: readonly string[];
  readonly assetTexts: readonly number[];
  /** Start and end of each row in the text of the page, one after another. */
  readonly assets: readonly number[];
  readonly descriptions: readonly number[];
  readonly descriptionTexts: readonly string[];
  /** Keys of descriptions in the order in which rows name them first, assets before descriptions. */
  readonly keys: readonly string[];
  /** For each row, which key it names. */
  readonly assetKeys: readonly number[];
  readonly descriptionKeys: readonly number[];
}

export function surveyRows(found: FoundRows): PageSurvey {
  const indexes = new Map<string, number>();
  const keyIndexOf = (row: StagedDescription): number => {
    const key = descriptionKey(row);
    const index = indexes.get(key) ?? indexes.size;
    indexes.set(key, index);
    return index;
  };
  const assets = [...found.assets];
  const assetKeys = assets.map(({ row }) => keyIndexOf(row));
  const descriptions = [...found.descriptions];
  const descriptionKeys = descriptions.map(({ row }) => keyIndexOf(row));
  return {
    identities: assets.map(({ row }) => assetIdentity(row)),
    amounts: assets.map(({ row }) => row.amount),
    assetTexts: assets.map(({ digest }) => digest),
    assets: spansOf(assets),
    descriptions: spansOf(descriptions),
    descriptionTexts: descriptions.map(({ digest }) => digest),
    keys: [...indexes.keys()],
    assetKeys,
    descriptionKeys,
  };
}

function spansOf(rows: readonly FoundRow<unknown, unknown>[]): number[] {
  return rows.flatMap(({ start, end }) => [start, end]);
}

/**
 * The identity of an asset, equal for every row of it. JSON, because ids are any text and must not
 * run together. A currency row is never the asset that happens to have the same number.
 */
export function assetIdentity(row: StagedAsset): string {
  const kind = row.currencyid === undefined ? 'asset' : 'currency';
  return JSON.stringify([row.appid, row.contextid, kind, row.assetid]);
}

/** What joins assets to their description. Never by `classid` alone: instances differ. */
export function descriptionKey(row: StagedDescription): string {
  return JSON.stringify([row.classid, row.instanceid]);
}
