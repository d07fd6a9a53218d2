import {
  findName,
  type JsonText,
  readArray,
  readObject,
  skipValue,
} from '@inventory/runtime/json-text';
import {
  at,
  fieldIndexes,
  fields,
  idFields,
  listFields,
  type Name,
  names,
  propertyFields,
  type Row,
  type RowList,
  readRows,
} from './platform-members.domain.ts';
import {
  appIdAt,
  idAt,
  isEmptyAt,
  isListAt,
  isObjectAt,
  isPlainId,
} from './platform-values.domain.ts';
import {
  addPiece,
  addRows,
  pieceOf,
  type TextPiece,
  wholePiece,
  written,
} from './text-pieces.domain.ts';

/** An asset of a page: its row as the platform sent it, changed where the contract requires it. */
export interface PageAsset extends TextPiece, PropertyBlock {
  /** Equal for every row of this asset. */
  readonly identity: string;
  readonly isCurrency: boolean;
}

export interface PageDescription extends TextPiece {
  /** Equal to {@link descriptionKeyOf} of its assets. */
  readonly key: string;
}

/** A list of properties, and its name. */
export interface Property {
  readonly label: TextPiece;
  readonly list: TextPiece;
}

/** The properties of an asset, which the platform lists beside the assets: its row is without them. */
export interface PropertyBlock {
  /** That of a currency row is its `currencyid`. */
  readonly assetid: string;
  readonly properties: readonly Property[];
}

/** Assets; null for a row that lacks what makes it one. */
export function readAssets(text: JsonText, listStart: number): RowList<PageAsset> {
  return readRows(text, listStart, assetOf);
}

function assetOf(row: Row): PageAsset | null {
  const { text } = row;
  const currencyid = idAt(text, at(row, fieldIndexes.currencyid));
  const assetid = idAt(text, at(row, fieldIndexes.assetid)) ?? currencyid;
  const appid = appIdAt(text, at(row, fieldIndexes.appid));
  if (assetid === null || appid === null) return null;
  const changes: Change[] = [];
  for (const name of idFields) {
    const index = at(row, fieldIndexes[name]);
    if (isPlainId(text, index)) continue;
    const id = name === 'assetid' ? assetid : idAt(text, index);
    if (id === null && name !== 'instanceid') return null;
    changes.push([name, `"${id ?? noInstance}"`]);
  }
  if (currencyid !== null && !isPlainId(text, at(row, fieldIndexes.currencyid))) {
    changes.push(['currencyid', `"${currencyid}"`]);
  }
  for (const name of propertyFields)
    if (at(row, fieldIndexes[name]) > 0) changes.push([name, null]);
  const kind = currencyid === null ? 'asset' : 'currency';
  const { bytes, start, end } = changedRow(row, changes);
  return {
    bytes,
    start,
    end,
    identity: `${appid}/${idAt(text, at(row, fieldIndexes.contextid))}/${kind}/${assetid}`,
    assetid,
    isCurrency: currencyid !== null,
    properties: propertiesOf(row),
  };
}

/**
 * Descriptions; null for a row that is not one. A description belongs to many assets. One
 * that names an asset (seen on the platform for a day) loses that id: merged over an asset, it would
 * change the asset's identity.
 */
export function readDescriptions(text: JsonText, listStart: number): RowList<PageDescription> {
  return readRows(text, listStart, descriptionOf);
}

function descriptionOf(row: Row): PageDescription | null {
  const { text } = row;
  const classid = idAt(text, at(row, fieldIndexes.classid));
  const instanceid = idAt(text, at(row, fieldIndexes.instanceid)) ?? noInstance;
  if (classid === null || appIdAt(text, at(row, fieldIndexes.appid)) === null) return null;
  const changes: Change[] = [];
  if (!isPlainId(text, at(row, fieldIndexes.classid))) changes.push(['classid', `"${classid}"`]);
  if (!isPlainId(text, at(row, fieldIndexes.instanceid))) {
    changes.push(['instanceid', `"${instanceid}"`]);
  }
  if (at(row, fieldIndexes.assetid) > 0) changes.push(['assetid', null]);
  for (const name of listFields) {
    const index = at(row, fieldIndexes[name]);
    if (index > 0 && !isListAt(text, index)) changes.push([name, '[]']);
  }
  return { ...changedRow(row, changes), key: keyOf(classid, instanceid) };
}

export function readPropertyBlocks(text: JsonText, listStart: number): RowList<PropertyBlock> {
  return readRows(text, listStart, (row) => {
    const assetid = idAt(text, at(row, fieldIndexes.assetid));
    return assetid === null ? null : { assetid, properties: propertiesOf(row) };
  });
}

const noInstance = '0';
const keyOf = (classid: string, instanceid: string) => `${classid}_${instanceid}`;

/** What joins an asset to its description. */
export function descriptionKeyOf({ bytes, start, end }: PageAsset): string {
  const { classid, instanceid } = JSON.parse(bytes.toString('utf8', start, end));
  return keyOf(classid, instanceid);
}

/** The lists of properties of an asset; those of unknown shape are left out. */
function propertiesOf(row: Row): readonly Property[] {
  const { text } = row;
  let properties = none;
  for (const name of propertyFields) {
    const index = fieldIndexes[name];
    const start = at(row, index);
    if (start === 0) continue;
    const list = isListAt(text, start)
      ? objectsOf(row, index)
      : isEmptyAt(text, start) && emptyList;
    if (list) properties = [...properties, { label: labels[name], list }];
  }
  return properties;
}

const none: readonly Property[] = [];
const emptyList = pieceOf('[]');
const labels = {
  asset_properties: pieceOf('"asset_properties":'),
  asset_accessories: pieceOf('"asset_accessories":'),
};

/** A list without those of its elements that are not objects. */
function objectsOf({ text, at, objectsEnd }: Row, index: number): TextPiece {
  const { bytes } = text;
  const start = at[index] ?? 0;
  const end = objectsEnd[index] ?? 0;
  if (end > 0) return { bytes, start, end };
  const objects: TextPiece[] = [];
  readArray(text, start, (element) => {
    const next = skipValue(text, element);
    if (isObjectAt(text, element)) objects.push({ bytes, start: element, end: next });
    return next;
  });
  return enclosed('[', objects, ']');
}

/** A member with its new text; null where it is left out. */
type Change = readonly [name: Name, value: string | null];

/** The row with these members changed, left out or added. */
function changedRow({ text, start, end }: Row, changes: readonly Change[]): TextPiece {
  const { bytes } = text;
  if (changes.length === 0) return { bytes, start, end };
  const kept: TextPiece[] = [];
  readObject(text, start, (nameStart, nameEnd, valueStart) => {
    const name = fields[findName(text, nameStart, nameEnd, names)];
    const valueEnd = skipValue(text, valueStart);
    if (!changes.some(([changed]) => changed === name)) {
      kept.push({ bytes, start: nameStart - 1, end: valueEnd });
    }
    return valueEnd;
  });
  const changed = changes.flatMap(([name, value]) =>
    value === null ? [] : pieceOf(`"${name}":${value}`),
  );
  return enclosed('{', [...kept, ...changed], '}');
}

function enclosed(open: string, rows: readonly TextPiece[], close: string): TextPiece {
  const text = { pieces: [] };
  addPiece(text, pieceOf(open));
  addRows(text, rows);
  addPiece(text, pieceOf(close));
  return wholePiece(written(text));
}
