/** The fields of a staged asset that identify it, its description and its amount. */
export interface StagedAssetRow {
  readonly appid: number;
  readonly contextid: string;
  readonly assetid: string;
  readonly classid: string;
  readonly instanceid: string;
  /** Decimal digits. */
  readonly amount: string;
  /** Only on a currency row; its `assetid` is then the same number. */
  readonly currencyid?: string | undefined;
}

export interface StagedDescriptionRow {
  readonly classid: string;
  readonly instanceid: string;
}

/**
 * The identity of an asset, equal for every row of it. JSON, because ids are any text and must not
 * run together. A currency row is never the asset that happens to have the same number.
 */
export function assetIdentity(row: StagedAssetRow): string {
  const kind = row.currencyid === undefined ? 'asset' : 'currency';
  return JSON.stringify([row.appid, row.contextid, kind, row.assetid]);
}

/** What joins assets to their description. Never by `classid` alone: instances differ. */
export function descriptionKey(row: StagedDescriptionRow): string {
  return JSON.stringify([row.classid, row.instanceid]);
}
