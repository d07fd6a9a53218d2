import {
  findName,
  type JsonText,
  mendHalves,
  namesOf,
  readArray,
  readObject,
  skipValue,
  type VisitMember,
} from '@inventory/runtime/json-text';
import { isListAt, isObjectAt } from './platform-values.domain.ts';

export const idFields = ['contextid', 'assetid', 'classid', 'instanceid', 'amount'] as const;
/** Members of an asset that V2 alone shows. */
export const propertyFields = ['asset_properties', 'asset_accessories'] as const;
export const listFields = [
  'descriptions',
  'owner_descriptions',
  'actions',
  'market_actions',
  'owner_actions',
  'tags',
  'fraudwarnings',
] as const;
export const fields = [
  'appid',
  ...idFields,
  'currencyid',
  ...propertyFields,
  ...listFields,
] as const;
export type Name = (typeof fields)[number];
export const names = namesOf(fields);
/** Where in {@link Row.at} each member is: a page has thousands of rows, and records by name are slow. */
export const fieldIndexes = Object.fromEntries(
  fields.map((name, index) => [name, index]),
) as Record<Name, number>;

/** A row while it is read. */
export interface Row {
  readonly text: JsonText;
  readonly start: number;
  readonly end: number;
  /** Where the value of each member begins, 0 where there is none; in the order of `fields`. */
  readonly at: readonly number[];
  /** Where a list of properties ends whose elements are all objects; 0 for any other. */
  readonly objectsEnd: readonly number[];
}

export interface RowList<Value> {
  /** Null for an element that is no such row. */
  readonly rows: readonly (Value | null)[];
  readonly end: number;
}

/** The list that begins at `listStart`. Rows are read one after another, each evaluated before the next. */
export function readRows<Value>(
  text: JsonText,
  listStart: number,
  evaluate: (row: Row) => Value | null,
): RowList<Value> {
  const { at, objectsEnd, visit } = openMembers(text);
  const rows: (Value | null)[] = [];
  const end = readArray(text, listStart, (start) => {
    if (!isObjectAt(text, start)) {
      rows.push(null);
      return skipValue(text, start);
    }
    at.fill(0);
    const rowEnd = readObject(text, start, visit);
    mendHalves(text);
    rows.push(evaluate({ text, start, end: rowEnd, at, objectsEnd }));
    return rowEnd;
  });
  return { rows, end };
}

/** Notes where the known members of the object are that is being read. */
function openMembers(text: JsonText) {
  const at = fields.map(() => 0);
  const objectsEnd = fields.map(() => 0);
  let areObjects = true;
  const visitProperty = (start: number) => {
    areObjects &&= isObjectAt(text, start);
    return skipValue(text, start);
  };
  const visit: VisitMember = (nameStart, nameEnd, valueStart) => {
    const index = findName(text, nameStart, nameEnd, names);
    if (index < 0) return skipValue(text, valueStart);
    at[index] = valueStart;
    if (!isPropertyField(index) || !isListAt(text, valueStart)) return skipValue(text, valueStart);
    areObjects = true;
    const end = readArray(text, valueStart, visitProperty);
    objectsEnd[index] = areObjects ? end : 0;
    return end;
  };
  return { at, objectsEnd, visit };
}

/** Where the value of a member begins, 0 where there is none. */
export function at(row: Row, index: number): number {
  return row.at[index] ?? 0;
}

function isPropertyField(index: number): boolean {
  return index === fieldIndexes.asset_properties || index === fieldIndexes.asset_accessories;
}
