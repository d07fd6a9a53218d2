import {
  type JsonText,
  mendHalves,
  NotJson,
  openJsonText,
  readObject,
  skipSpace,
  skipValue,
  textBetween,
} from '@inventory/runtime/json-text';
import {
  descriptionKeyOf,
  type PageAsset,
  type PageDescription,
  type PropertyBlock,
  readAssets,
  readDescriptions,
  readPropertyBlocks,
} from './platform-rows.domain.ts';
import {
  countAt,
  idAt,
  isEmptyAt,
  isFlagAt,
  isListAt,
  scalarAt,
} from './platform-values.domain.ts';
import {
  addPiece,
  addRows,
  comma,
  type OpenText,
  pieceOf,
  written,
  writtenParts,
} from './text-pieces.domain.ts';

interface PageRows {
  /** Each once, in the platform's order. */
  readonly assets: readonly PageAsset[];
  /** Each once. */
  readonly descriptions: readonly PageDescription[];
}

/** One valid page and the cursor of the next. */
export interface PlatformPage extends PageRows {
  readonly reportedTotalCount: number;
  /** True when another page exists, whatever this one's length is. */
  readonly more: boolean;
  readonly lastAssetId: string | null;
}

const assetsStart = pieceOf('"assets":[');
const descriptionsStart = pieceOf('],"descriptions":[');
const listEnd = pieceOf(']');

/** The lists of a page, and where its other members begin. */
interface ScannedPage {
  /** Null where they are not a list. */
  assets: readonly (PageAsset | null)[] | null;
  descriptions: readonly (PageDescription | null)[];
  blocks: readonly (PropertyBlock | null)[];
  readonly members: Map<string, number>;
}

/**
 * Reads the body of a 200 response, in UTF-8; null when it is not a page: it names a member
 * twice, is nested too deeply, lacks `success` or a total, without which a failure would look like
 * an empty inventory, or has assets of unknown shape. Rows are kept as text, with the digits that were
 * sent; optional blocks of unknown shape are left out. Halves of characters are replaced in `body`.
 */
export function readPlatformPage(body: Buffer): PlatformPage | null {
  const text = openJsonText(body);
  const scanned = scan(text);
  if (scanned === null) return null;
  const at = (name: string) => scanned.members.get(name) ?? 0;
  const success = at('success');
  const isSuccess =
    countAt(text, success) === 1 || (success > 0 && scalarAt(text, success) === 'true');
  const reportedTotalCount = countAt(text, at('total_inventory_count'));
  const assets = scanned.assets ?? (isEmptyAt(text, at('assets')) ? [] : [null]);
  if (!isSuccess || reportedTotalCount === null || !allPresent(assets)) return null;
  return {
    assets: withProperties(
      latest(assets, ({ identity }) => identity),
      scanned.blocks,
    ),
    descriptions: latest(scanned.descriptions, ({ key }) => key),
    reportedTotalCount,
    more: isFlagAt(text, at('more_items')),
    lastAssetId: idAt(text, at('last_assetid')),
  };
}

/** Null when the text is not an object with each member once. */
function scan(text: JsonText): ScannedPage | null {
  const { bytes } = text;
  const page: ScannedPage = { assets: null, descriptions: [], blocks: [], members: new Map() };
  try {
    const start = skipSpace(bytes, afterByteOrderMark(bytes));
    const end = readObject(text, start, (nameStart, nameEnd, valueStart) => {
      const name = textBetween(bytes, nameStart, nameEnd);
      page.members.set(name, valueStart);
      return isListAt(text, valueStart)
        ? readList(text, page, name, valueStart)
        : skipValue(text, valueStart);
    });
    mendHalves(text);
    return skipSpace(bytes, end) === bytes.length ? page : null;
  } catch (error) {
    if (error instanceof NotJson) return null;
    throw error;
  }
}

function readList(text: JsonText, page: ScannedPage, name: string, start: number): number {
  switch (name) {
    case 'assets': {
      const { rows, end } = readAssets(text, start);
      page.assets = rows;
      return end;
    }
    case 'descriptions': {
      const { rows, end } = readDescriptions(text, start);
      page.descriptions = rows;
      return end;
    }
    case 'asset_properties': {
      const { rows, end } = readPropertyBlocks(text, start);
      page.blocks = rows;
      return end;
    }
    default:
      return skipValue(text, start);
  }
}

function afterByteOrderMark(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Of rows of one key, the last one at the position of the first; null ones are left out. */
function latest<Value>(rows: readonly (Value | null)[], keyOf: (row: Value) => string): Value[] {
  const byKey = new Map<string, Value>();
  for (const row of rows) if (row !== null) byKey.set(keyOf(row), row);
  return [...byKey.values()];
}

/** Each block in one asset: repeated in many rows it could be larger than any page. */
function withProperties(
  assets: readonly PageAsset[],
  blocks: readonly (PropertyBlock | null)[],
): PageAsset[] {
  const unused = new Map<string, PropertyBlock>();
  for (const block of blocks) if (block?.properties.length) unused.set(block.assetid, block);
  return assets.map((asset) => {
    const block = unused.get(asset.assetid);
    if (!block) return asset;
    unused.delete(asset.assetid);
    return { ...asset, properties: block.properties };
  });
}

function allPresent<Item>(items: readonly (Item | null)[]): items is readonly Item[] {
  return items.every((item) => item !== null);
}

/**
 * The first assets of a page and their descriptions; the others are after the last of them. A
 * currency row is not a position to continue from.
 */
export function firstAssets(page: PlatformPage, countMax: number): PlatformPage {
  if (page.assets.length <= countMax) return page;
  const first = page.assets.slice(0, countMax);
  const last = first.findLastIndex(({ isCurrency }) => !isCurrency);
  const assets = last < 0 ? first : first.slice(0, last + 1);
  const keys = new Set(assets.map(descriptionKeyOf));
  return {
    ...page,
    assets,
    descriptions: page.descriptions.filter(({ key }) => keys.has(key)),
    more: true,
    lastAssetId: assets.at(-1)?.assetid ?? null,
  };
}

/** The text `{"assets":[…],"descriptions":[…]}` with the properties of the assets. */
export function pageText(page: PageRows): Buffer {
  const text = { pieces: [] };
  addPiece(text, pieceOf('{'));
  addMembers(text, page, 'with_properties');
  addPiece(text, pieceOf('}'));
  return written(text);
}

/**
 * The text `"assets":[…],"descriptions":[…]` in parts, each asset with its properties or without. What
 * lies together as it was sent is not copied.
 */
export function pageMembers(
  page: PageRows,
  form: 'with_properties' | 'without_properties',
): readonly Buffer[] {
  const text = { pieces: [] };
  addMembers(text, page, form);
  return writtenParts(text);
}

function addMembers(
  text: OpenText,
  { assets, descriptions }: PageRows,
  form: Parameters<typeof pageMembers>[1],
): void {
  const addAsset = (asset: PageAsset) => {
    if (form === 'without_properties' || asset.properties.length === 0) addPiece(text, asset);
    else addWithProperties(text, asset);
  };
  addPiece(text, assetsStart);
  addRows(text, assets, addAsset);
  addPiece(text, descriptionsStart);
  addRows(text, descriptions);
  addPiece(text, listEnd);
}

/** Its properties are its last members. */
function addWithProperties(text: OpenText, { bytes, start, end, properties }: PageAsset): void {
  const beforeBrace = end - 1;
  addPiece(text, { bytes, start, end: beforeBrace });
  for (const { label, list } of properties) {
    addPiece(text, comma);
    addPiece(text, label);
    addPiece(text, list);
  }
  addPiece(text, { bytes, start: beforeBrace, end });
}
