import {
  findName,
  type JsonText,
  mendHalves,
  readArray,
  readObject,
  skipValue,
  textBetween,
} from '@inventory/runtime/json-text';

/** An asset of a page: its row as the platform sent it, changed where the contract requires it. */
export interface PageAsset {
  /** Equal for every row of this asset. */
  readonly identity: string;
  /** That of a currency row is its `currencyid`. */
  readonly assetid: string;
  readonly isCurrency: boolean;
  /** Equal to the key of its description. */
  readonly descriptionKey: string;
  /** Without properties. */
  readonly text: Buffer;
  /** The members with its properties, in pieces; null where it has none. */
  readonly properties: readonly Buffer[] | null;
}

export interface PageDescription {
  readonly key: string;
  readonly text: Buffer;
}

/** The properties of an asset, as the platform lists them beside the assets. */
export type PropertyBlock = Pick<PageAsset, 'assetid' | 'properties'>;

/** A row while it is read: `at` is where the value of a member begins, 0 where there is none. */
interface Row<Name extends string> {
  readonly text: JsonText;
  readonly start: number;
  readonly end: number;
  at(name: Name): number;
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
const comma = Buffer.from(',');

const joinFields = ['appid', 'classid', 'instanceid', 'assetid'] as const;
/** Members of an asset that V2 alone shows. */
const propertyFields = ['asset_properties', 'asset_accessories'] as const;
const assetFields = [
  ...joinFields,
  'contextid',
  'amount',
  'currencyid',
  ...propertyFields,
] as const;
const blockFields = ['assetid', ...propertyFields] as const;
const listFields = [
  'descriptions',
  'owner_descriptions',
  'actions',
  'market_actions',
  'owner_actions',
  'tags',
  'fraudwarnings',
] as const;
const descriptionFields = [...joinFields, ...listFields] as const;

/** Assets; a row without what makes it one is none. */
export const readAssets = listReader(assetFields, (row): PageAsset | null => {
  const id = (name: (typeof assetFields)[number]) => idAt(row.text, row.at(name));
  const currencyid = id('currencyid');
  const [contextid, assetid] = [id('contextid'), id('assetid') ?? currencyid];
  const [classid, instanceid, amount] = [id('classid'), id('instanceid') ?? '0', id('amount')];
  const appid = appIdOf(row);
  if (appid === null || !contextid || !assetid || !classid || !amount) return null;
  const changes = changedIds(row, { contextid, assetid, classid, instanceid, amount });
  if (currencyid !== null) changes.push(...changedIds(row, { currencyid }));
  for (const name of propertyFields) if (row.at(name) > 0) changes.push([name, null]);
  return {
    identity: `${appid}/${contextid}/${currencyid === null ? 'asset' : 'currency'}/${assetid}`,
    assetid,
    isCurrency: currencyid !== null,
    descriptionKey: `${classid}_${instanceid}`,
    text: changedText(row, changes),
    properties: propertiesOf(row),
  };
});

/**
 * Descriptions; a row without what makes it one is none. A description belongs to many assets. One
 * that names an asset (seen on the platform for a day) loses that id: merged over an asset, it would
 * change the asset's identity.
 */
export const readDescriptions = listReader(descriptionFields, (row): PageDescription | null => {
  const { text } = row;
  const classid = idAt(text, row.at('classid'));
  const instanceid = idAt(text, row.at('instanceid')) ?? '0';
  if (!classid || appIdOf(row) === null) return null;
  const changes = changedIds(row, { classid, instanceid });
  if (row.at('assetid') > 0) changes.push(['assetid', null]);
  for (const name of listFields) {
    if (row.at(name) > 0 && !isListAt(text, row.at(name))) changes.push([name, '[]']);
  }
  return { key: `${classid}_${instanceid}`, text: changedText(row, changes) };
});

export const readPropertyBlocks = listReader(blockFields, (row): PropertyBlock | null => {
  const assetid = idAt(row.text, row.at('assetid'));
  return assetid === null ? null : { assetid, properties: propertiesOf(row) };
});

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
function listReader<Name extends string, Value>(
  fields: readonly Name[],
  evaluate: (row: Row<Name>) => Value | null,
): ReadList<Value> {
  const names = fields.map((field) => Buffer.from(field));
  return (text, listStart) => {
    const starts = new Int32Array(fields.length);
    const at = (name: Name) => starts[fields.indexOf(name)] ?? 0;
    const visit = (nameStart: number, nameEnd: number, valueStart: number) => {
      const index = findName(text.bytes, nameStart, nameEnd, names);
      if (index >= 0) starts[index] = valueStart;
      return skipValue(text, valueStart);
    };
    const rows: (Value | null)[] = [];
    const listEnd = readArray(text, listStart, (start) => {
      const isRow = text.bytes[start] === openBrace;
      starts.fill(0);
      const end = isRow ? readObject(text, start, visit) : skipValue(text, start);
      mendHalves(text);
      rows.push(isRow ? evaluate({ text, start, end, at }) : null);
      return end;
    });
    return { rows, end: listEnd };
  };
}

/** The members with the properties of an asset, in pieces; those of unknown shape are left out. */
function propertiesOf(row: Row<(typeof propertyFields)[number]>): readonly Buffer[] | null {
  const { text } = row;
  const pieces: Buffer[] = [];
  for (const name of propertyFields) {
    const at = row.at(name);
    const list = isListAt(text, at) ? objectsAt(text, at) : at > 0 && isEmptyAt(text, at) && empty;
    if (list) pieces.push(pieces.length > 0 ? comma : nothing, labels[name], list);
  }
  return pieces.length > 0 ? pieces : null;
}

const [nothing, empty] = [Buffer.from(''), Buffer.from('[]')];
const labels = {
  asset_properties: Buffer.from('"asset_properties":'),
  asset_accessories: Buffer.from('"asset_accessories":'),
};

/** A list without those of its elements that are no objects. */
function objectsAt(text: JsonText, listStart: number): Buffer {
  const { bytes } = text;
  const objects: Buffer[] = [];
  let others = 0;
  const end = readArray(text, listStart, (start) => {
    const next = skipValue(text, start);
    if (bytes[start] === openBrace) objects.push(bytes.subarray(start, next));
    else others += 1;
    return next;
  });
  if (others === 0) return bytes.subarray(listStart, end);
  return Buffer.concat([Buffer.from('['), joined(objects), Buffer.from(']')]);
}

function appIdOf(row: Row<'appid'>): number | null {
  const at = row.at('appid');
  return row.text.bytes[at] === quote ? null : countAt(row.text, at);
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

type Change = readonly [name: string, value: string | null];

/** The ids that are not written as the contract requires, each with its new text. */
function changedIds<Name extends string>(
  row: Row<Name>,
  ids: Readonly<Partial<Record<Name, string>>>,
) {
  const changes: Change[] = [];
  for (const name in ids) {
    if (plainIdLength(row.text, row.at(name)) === 0) changes.push([name, `"${ids[name]}"`]);
  }
  return changes;
}

/** The row with these members changed, left out (null) or added. */
function changedText({ text, start, end }: Row<never>, changes: readonly Change[]): Buffer {
  const { bytes } = text;
  if (changes.length === 0) return bytes.subarray(start, end);
  const names = changes.map(([name]) => Buffer.from(name));
  const written: Buffer[] = [];
  readObject(text, start, (nameStart, nameEnd, valueStart) => {
    const valueEnd = skipValue(text, valueStart);
    if (findName(bytes, nameStart, nameEnd, names) < 0) {
      written.push(bytes.subarray(nameStart - 1, valueEnd));
    }
    return valueEnd;
  });
  const changed = changes.flatMap(([name, value]) =>
    value === null ? [] : Buffer.from(`"${name}":${value}`),
  );
  return Buffer.concat([Buffer.from('{'), joined([...written, ...changed]), Buffer.from('}')]);
}

function joined(texts: readonly Buffer[]): Buffer {
  return Buffer.concat(texts.flatMap((text, at) => (at === 0 ? [text] : [comma, text])));
}
