import {
  findName,
  type JsonText,
  mendHalves,
  namesOf,
  readArray,
  readObject,
  skipValue,
  textBetween,
} from '@inventory/runtime/json-text';
import {
  addPiece,
  addRows,
  pieceOf,
  type TextPiece,
  wholePiece,
  written,
} from './text-pieces.domain.ts';

/** An asset of a page: its row as the platform sent it, changed where the contract requires it. */
export interface PageAsset extends TextPiece {
  /** Equal for every row of this asset. */
  readonly identity: string;
  /** That of a currency row is its `currencyid`. */
  readonly assetid: string;
  readonly isCurrency: boolean;
  /** Members that its row is without. */
  readonly properties: readonly Property[];
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

/** The properties of an asset, as the platform lists them beside the assets. */
export type PropertyBlock = Pick<PageAsset, 'assetid' | 'properties'>;

/** A row while it is read. */
interface Row {
  readonly text: JsonText;
  readonly start: number;
  readonly end: number;
  /** Where the value of each known member begins, 0 where there is none. */
  readonly at: Readonly<Record<Name, number>>;
}

/** Reads the list that begins at `start`; null for an element that is no such row. */
export type ReadList<Value> = (
  text: JsonText,
  start: number,
) => { readonly rows: readonly (Value | null)[]; readonly end: number };

const idPattern = /^[0-9]{1,20}$/;
const idBytesMax = 20;
/** More than any scalar that is read. */
const scalarBytesMax = 200;
const [openBrace, openBracket, quote, zero, nine] = [0x7b, 0x5b, 0x22, 0x30, 0x39];

const idFields = ['contextid', 'assetid', 'classid', 'instanceid', 'amount'] as const;
/** Members of an asset that V2 alone shows. */
const propertyFields = ['asset_properties', 'asset_accessories'] as const;
const listFields = [
  'descriptions',
  'owner_descriptions',
  'actions',
  'market_actions',
  'owner_actions',
  'tags',
  'fraudwarnings',
] as const;
const fields = ['appid', ...idFields, 'currencyid', ...propertyFields, ...listFields] as const;
type Name = (typeof fields)[number];
const names = namesOf(fields);
const nowhere = Object.fromEntries(fields.map((name) => [name, 0])) as Record<Name, number>;

/** Assets; a row without what makes it one is none. */
export const readAssets = listReader((row): PageAsset | null => {
  const { text, at } = row;
  const currencyid = idAt(text, at.currencyid);
  const assetid = idAt(text, at.assetid) ?? currencyid;
  const appid = appIdAt(text, at.appid);
  if (assetid === null || appid === null) return null;
  const changes: Change[] = [];
  for (const name of idFields) {
    if (isPlainId(text, at[name])) continue;
    const id = name === 'assetid' ? assetid : idAt(text, at[name]);
    if (id === null && name !== 'instanceid') return null;
    changes.push([name, `"${id ?? noInstance}"`]);
  }
  if (currencyid !== null && !isPlainId(text, at.currencyid)) {
    changes.push(['currencyid', `"${currencyid}"`]);
  }
  for (const name of propertyFields) if (at[name] > 0) changes.push([name, null]);
  const kind = currencyid === null ? 'asset' : 'currency';
  const { bytes, start, end } = changedRow(row, changes);
  return {
    bytes,
    start,
    end,
    identity: `${appid}/${idAt(text, at.contextid)}/${kind}/${assetid}`,
    assetid,
    isCurrency: currencyid !== null,
    properties: propertiesOf(row),
  };
});

/**
 * Descriptions; a row without what makes it one is none. A description belongs to many assets. One
 * that names an asset (seen on the platform for a day) loses that id: merged over an asset, it would
 * change the asset's identity.
 */
export const readDescriptions = listReader((row): PageDescription | null => {
  const { text, at } = row;
  const classid = idAt(text, at.classid);
  const instanceid = idAt(text, at.instanceid) ?? noInstance;
  if (classid === null || appIdAt(text, at.appid) === null) return null;
  const changes: Change[] = [];
  if (!isPlainId(text, at.classid)) changes.push(['classid', `"${classid}"`]);
  if (!isPlainId(text, at.instanceid)) changes.push(['instanceid', `"${instanceid}"`]);
  if (at.assetid > 0) changes.push(['assetid', null]);
  for (const name of listFields) {
    if (at[name] > 0 && !isListAt(text, at[name])) changes.push([name, '[]']);
  }
  return { ...changedRow(row, changes), key: keyOf(classid, instanceid) };
});

export const readPropertyBlocks = listReader((row): PropertyBlock | null => {
  const assetid = idAt(row.text, row.at.assetid);
  return assetid === null ? null : { assetid, properties: propertiesOf(row) };
});

const noInstance = '0';
const keyOf = (classid: string, instanceid: string) => `${classid}_${instanceid}`;

/** What joins an asset to its description. */
export function descriptionKeyOf({ bytes, start, end }: PageAsset): string {
  const { classid, instanceid } = JSON.parse(bytes.toString('utf8', start, end));
  return keyOf(classid, instanceid);
}

export function isListAt({ bytes }: JsonText, at: number): boolean {
  return bytes[at] === openBracket;
}

/** Absent, null or "": an empty list. */
export function isEmptyAt(text: JsonText, at: number): boolean {
  return at === 0 || ['null', '""'].includes(scalarAt(text, at));
}

/** Ids are strings end to end: the digits as sent, of a number too. Null for anything else. */
export function idAt(text: JsonText, at: number): string | null {
  if (at === 0) return null;
  const length = plainIdLength(text, at);
  if (length > 0) return text.bytes.toString('latin1', at + 1, at + 1 + length);
  const raw = scalarAt(text, at);
  const digits = raw[0] === '"' ? textBetween(text.bytes, at + 1, at + raw.length - 1) : raw;
  if (idPattern.test(digits)) return digits;
  const count = raw === '' ? Number.NaN : Number(raw);
  return Number.isSafeInteger(count) && count >= 0 ? String(count) : null;
}

/** A count, of digits in a string too. */
export function countAt(text: JsonText, at: number): number | null {
  const count = Number(idAt(text, at) ?? Number.NaN);
  return Number.isSafeInteger(count) ? count : null;
}

/** Whether a flag is set: absent, null, false, "", "0" and zero are not. */
export function isFlagAt(text: JsonText, at: number): boolean {
  if (at === 0) return false;
  const raw = scalarAt(text, at);
  return !['null', 'false', '""', '"0"'].includes(raw) && (raw === '' || Number(raw) !== 0);
}

/** The text of a scalar; empty for what is longer than any that is read. */
export function scalarAt(text: JsonText, at: number): string {
  const end = skipValue(text, at);
  return end - at > scalarBytesMax ? '' : text.bytes.toString('latin1', at, end);
}

/** Rows are read one after another, and each is evaluated before the next. */
function listReader<Value>(evaluate: (row: Row) => Value | null): ReadList<Value> {
  return (text, listStart) => {
    const { bytes } = text;
    let at = { ...nowhere };
    const visit = (nameStart: number, nameEnd: number, valueStart: number) => {
      const name = fields[findName(text, nameStart, nameEnd, names)];
      if (name) at[name] = valueStart;
      return skipValue(text, valueStart);
    };
    const rows: (Value | null)[] = [];
    const end = readArray(text, listStart, (start) => {
      if (bytes[start] !== openBrace) {
        rows.push(null);
        return skipValue(text, start);
      }
      at = { ...nowhere };
      const rowEnd = readObject(text, start, visit);
      mendHalves(text);
      rows.push(evaluate({ text, start, end: rowEnd, at }));
      return rowEnd;
    });
    return { rows, end };
  };
}

/** The lists of properties of an asset; those of unknown shape are left out. */
function propertiesOf({ text, at }: Row): readonly Property[] {
  let properties = none;
  for (const name of propertyFields) {
    if (at[name] === 0) continue;
    const list = isListAt(text, at[name])
      ? objectsAt(text, at[name])
      : isEmptyAt(text, at[name]) && emptyList;
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

/** A list without those of its elements that are no objects. */
function objectsAt(text: JsonText, listStart: number): TextPiece {
  const { bytes } = text;
  const objects: TextPiece[] = [];
  let others = 0;
  const end = readArray(text, listStart, (start) => {
    const next = skipValue(text, start);
    if (bytes[start] === openBrace) objects.push({ bytes, start, end: next });
    else others += 1;
    return next;
  });
  if (others === 0) return { bytes, start: listStart, end };
  return enclosed('[', objects, ']');
}

/** The application's id is a number. */
function appIdAt(text: JsonText, at: number): number | null {
  if (text.bytes[at] === quote) return null;
  return countAt(text, at);
}

/** Whether an id is written as the contract requires. */
function isPlainId(text: JsonText, at: number): boolean {
  return plainIdLength(text, at) > 0;
}

/** The digits of an id that is written as the contract requires, else 0. */
function plainIdLength({ bytes }: JsonText, at: number): number {
  if (bytes[at] !== quote) return 0;
  let length = 0;
  while (isDigit(bytes[at + 1 + length])) length += 1;
  return bytes[at + 1 + length] === quote && length <= idBytesMax ? length : 0;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
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
