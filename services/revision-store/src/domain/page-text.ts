import {
  findName,
  NotJson,
  openJsonText,
  readArray,
  readObject,
  skipSpace,
  skipValue,
} from '@inventory/runtime/json-text';

/** The byte range of a JSON value in a page: `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The byte ranges of the rows of a page. */
export interface PageRows {
  readonly assets: readonly TextSpan[];
  readonly descriptions: readonly TextSpan[];
}

const listNames = [Buffer.from('assets'), Buffer.from('descriptions')];

/**
 * Finds the rows of a page without building them, so that their texts can be kept as they are: a
 * number beyond 2^53 or an unknown field is preserved. Null when the text is no JSON object with the
 * two lists.
 */
export function locateRows(bytes: Buffer): PageRows | null {
  const text = openJsonText(bytes);
  const lists: TextSpan[][] = [];
  try {
    const end = readObject(text, skipSpace(bytes, 0), (nameStart, nameEnd, valueStart) => {
      const list = findName(bytes, nameStart, nameEnd, listNames);
      if (list < 0) return skipValue(text, valueStart);
      const rows: TextSpan[] = [];
      lists[list] = rows;
      return readArray(text, valueStart, (start) => {
        const rowEnd = skipValue(text, start);
        rows.push({ start, end: rowEnd });
        return rowEnd;
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
