import {
  findName,
  type JsonText,
  type Names,
  NotJson,
  namesOf,
  openJsonText,
  readArray,
  readObject,
  skipSpace,
  skipValue,
  textBetween,
} from '@inventory/runtime/json-text';

/** The byte range of a JSON value in a page: `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A row of a page, and the members of it that are read. */
export interface LocatedRow extends TextSpan {
  /** Undefined for an element that is not an object. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
}

export interface PageRows {
  readonly assets: readonly LocatedRow[];
  readonly descriptions: readonly LocatedRow[];
}

const listNames = namesOf(['assets', 'descriptions']);
const joinFields = ['appid', 'classid', 'instanceid'];
/** The members that are read of the rows of each list. */
const namesIn = [[...joinFields, 'contextid', 'assetid', 'amount', 'currencyid'], joinFields];
const [openBrace, quote] = [0x7b, 0x22];

/**
 * Finds the rows of a page and reads the members that the assembly needs. The others are not
 * built, so that texts can be kept as they are: a number beyond 2^53 or an unknown field is
 * preserved. Null when the text is not a JSON object with the two lists.
 */
export function locateRows(bytes: Buffer): PageRows | null {
  const text = openJsonText(bytes);
  const lists: LocatedRow[][] = [];
  const fieldsOf = namesIn.map(readFields);
  try {
    const end = readObject(text, skipSpace(bytes, 0), (nameStart, nameEnd, valueStart) => {
      const list = findName(text, nameStart, nameEnd, listNames);
      const fields = fieldsOf[list];
      if (!fields) return skipValue(text, valueStart);
      const rows: LocatedRow[] = [];
      lists[list] = rows;
      return readArray(text, valueStart, (start) => {
        const row = readRow(text, start, fields);
        rows.push(row);
        return row.end;
      });
    });
    const [assets, descriptions] = lists;
    const isPage = skipSpace(bytes, end) === bytes.length && assets && descriptions;
    return isPage ? { assets, descriptions } : null;
  } catch (error) {
    if (error instanceof NotJson) return null;
    throw error;
  }
}

/** A member that is read of each row, and the last value that was: most rows have that of the row before. */
interface ReadField {
  readonly name: string;
  start: number;
  end: number;
  value: unknown;
}

interface ReadFields {
  readonly fields: readonly ReadField[];
  readonly names: Names;
}

function readFields(names: readonly string[]): ReadFields {
  const fields = names.map((name) => ({ name, start: 0, end: 0, value: undefined }));
  return { fields, names: namesOf(names) };
}

function readRow(text: JsonText, start: number, { fields, names }: ReadFields): LocatedRow {
  const { bytes } = text;
  if (bytes[start] !== openBrace) return { start, end: skipValue(text, start), value: undefined };
  const value: Record<string, unknown> = {};
  const end = readObject(text, start, (nameStart, nameEnd, valueStart) => {
    const field = fields[findName(text, nameStart, nameEnd, names)];
    const valueEnd = skipValue(text, valueStart);
    if (field) value[field.name] = readValue(bytes, valueStart, valueEnd, field);
    return valueEnd;
  });
  return { start, end, value };
}

function readValue(bytes: Buffer, start: number, end: number, last: ReadField): unknown {
  const isKnown = last.end - last.start === end - start && isSame(bytes, last.start, start, end);
  if (!isKnown) last.value = valueBetween(bytes, start, end);
  last.start = start;
  last.end = end;
  return last.value;
}

function isSame(bytes: Buffer, other: number, start: number, end: number): boolean {
  let at = start;
  while (at < end && bytes[at] === bytes[other + at - start]) at += 1;
  return at === end;
}

function valueBetween(bytes: Buffer, start: number, end: number): unknown {
  return bytes[start] === quote
    ? textBetween(bytes, start + 1, end - 1)
    : JSON.parse(bytes.toString('utf8', start, end));
}
