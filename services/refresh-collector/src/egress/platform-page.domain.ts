import type { StagedAsset, StagedDescription } from '@inventory/contracts/staged-rows';

/** One valid page and the cursor of the next. */
export interface PlatformPage {
  readonly assets: readonly StagedAsset[];
  readonly descriptions: readonly StagedDescription[];
  readonly reportedTotalCount: number;
  /** True when another page exists, whatever this one's length is. */
  readonly more: boolean;
  readonly lastAssetId: string | null;
}

type Row = Readonly<Record<string, unknown>>;

const idPattern = /^[0-9]{1,20}$/;
const listFields = [
  'descriptions',
  'owner_descriptions',
  'actions',
  'market_actions',
  'owner_actions',
  'tags',
  'fraudwarnings',
] as const;

/**
 * Reads the body of a 200 answer; null when it is not a page. Lists may be absent, null or "";
 * `success` must be 1 and the total present, or a failure would look like an empty inventory.
 */
export function readPlatformPage(body: unknown): PlatformPage | null {
  if (!isRow(body) || (body['success'] !== 1 && body['success'] !== true)) return null;
  const reportedTotalCount = body['total_inventory_count'];
  if (!isCount(reportedTotalCount)) return null;
  const rows = readRows(body['assets']);
  const texts = readRows(body['descriptions']);
  const properties = readRows(body['asset_properties']);
  if (!rows || !texts || !properties) return null;
  const propertiesOf = new Map(properties.map((row) => [row['assetid'], row] as const));
  const assets = rows.map((row) => readAsset(row, propertiesOf));
  const descriptions = texts.map(readDescription);
  if (!allPresent(assets) || !allPresent(descriptions)) return null;
  return {
    assets,
    descriptions,
    reportedTotalCount,
    more: Boolean(body['more_items']),
    lastAssetId: readId(body['last_assetid']),
  };
}

/** A currency row has a `currencyid` instead of an asset id; it is kept in both fields. */
function readAsset(row: Row, propertiesOf: ReadonlyMap<unknown, Row>): StagedAsset | null {
  const currencyId = readId(row['currencyid']);
  const assetid = readId(row['assetid']) ?? currencyId;
  const classid = readId(row['classid']);
  const amount = readId(row['amount']);
  const appid = row['appid'];
  const contextid = readId(row['contextid']);
  if (!assetid || !classid || !amount || !isCount(appid) || !contextid) return null;
  const properties = propertiesOf.get(assetid);
  return {
    ...row,
    appid,
    contextid,
    assetid,
    classid,
    instanceid: readId(row['instanceid']) ?? '0',
    amount,
    ...(currencyId ? { currencyid: currencyId } : {}),
    ...(properties ? assetProperties(properties) : {}),
  };
}

function assetProperties(row: Row): Row {
  const accessories = readRows(row['asset_accessories']);
  return {
    asset_properties: readRows(row['asset_properties']) ?? [],
    ...(accessories && accessories.length > 0 ? { asset_accessories: accessories } : {}),
  };
}

/**
 * A description belongs to many assets. One that names an asset (seen on the platform for a day)
 * loses that id: merged over an asset, it would change the asset's identity.
 */
function readDescription(row: Row): StagedDescription | null {
  const { assetid: _assetid, ...fields } = row;
  const classid = readId(fields['classid']);
  const appid = fields['appid'];
  if (!classid || !isCount(appid)) return null;
  const lists = listFields
    .filter((field) => field in fields && !Array.isArray(fields[field]))
    .map((field) => [field, []] as const);
  return {
    ...fields,
    ...Object.fromEntries(lists),
    appid,
    classid,
    instanceid: readId(fields['instanceid']) ?? '0',
  };
}

function readRows(value: unknown): readonly Row[] | null {
  if (value === undefined || value === null || value === '') return [];
  return Array.isArray(value) && value.every(isRow) ? value : null;
}

/** Ids are strings end to end; a number is taken only where no digit can have been lost. */
function readId(value: unknown): string | null {
  if (typeof value === 'string') return idPattern.test(value) ? value : null;
  return isCount(value) ? String(value) : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function allPresent<Item>(items: readonly (Item | null)[]): items is readonly Item[] {
  return items.every((item) => item !== null);
}
