/** The byte range of a JSON value in a page: `to` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The byte ranges of the rows of a page. A row is validated when it is read. */
export interface PageRows {
  readonly assets: readonly TextSpan[];
  readonly descriptions: readonly TextSpan[];
  /** Names and values that a page has besides, to be checked and otherwise ignored. */
  readonly others: readonly TextSpan[];
}

const code = (character: string): number => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const comma = code(',');
const colon = code(':');
const [openBrace, closeBrace] = [code('{'), code('}')];
const [openBracket, closeBracket] = [code('['), code(']')];
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The text is not an object with the two lists. */
class NotAPage extends Error {}

/**
 * Finds the rows of a page without building them, so that their texts can be kept as they are: a
 * number beyond 2^53 or an unknown field is preserved. Null when the text is no page.
 */
export function locateRows(bytes: Uint8Array): PageRows | null {
  try {
    return locate(bytes);
  } catch (error) {
    if (error instanceof NotAPage) return null;
    throw error;
  }
}

function locate(bytes: Uint8Array): PageRows {
  const lists = new Map<string, TextSpan[]>();
  const others: TextSpan[] = [];
  const end = forEachItem(bytes, skipSpace(bytes, 0), openBrace, closeBrace, (start) => {
    const nameEnd = skipString(bytes, start);
    const name = nameOf(bytes, start, nameEnd);
    const at = skipSpace(bytes, expect(bytes, skipSpace(bytes, nameEnd), colon));
    if (name === null) {
      const valueEnd = skipValue(bytes, at);
      others.push({ start, end: nameEnd }, { start: at, end: valueEnd });
      return valueEnd;
    }
    if (lists.has(name)) throw new NotAPage();
    const rows: TextSpan[] = [];
    lists.set(name, rows);
    return forEachItem(bytes, at, openBracket, closeBracket, (rowStart) => {
      const rowEnd = skipValue(bytes, rowStart);
      rows.push({ start: rowStart, end: rowEnd });
      return rowEnd;
    });
  });
  const [assets, descriptions] = [lists.get('assets'), lists.get('descriptions')];
  if (skipSpace(bytes, end) !== bytes.length || !assets || !descriptions) throw new NotAPage();
  return { assets, descriptions, others };
}

/** Visits comma-separated items; `visit` returns where its item ends. Returns the end of all. */
function forEachItem(
  bytes: Uint8Array,
  from: number,
  open: number,
  close: number,
  visit: (start: number) => number,
): number {
  let at = skipSpace(bytes, expect(bytes, from, open));
  if (bytes[at] === close) return at + 1;
  for (;;) {
    at = skipSpace(bytes, visit(at));
    if (bytes[at] === close) return at + 1;
    at = skipSpace(bytes, expect(bytes, at, comma));
  }
}

const pageLists = ['assets', 'descriptions'];

/** The name of a list of the page, or null for any other name. */
function nameOf(bytes: Uint8Array, start: number, end: number): string | null {
  const name = String.fromCharCode(...bytes.subarray(start + 1, Math.min(end - 1, start + 20)));
  return pageLists.includes(name) && name.length === end - start - 2 ? name : null;
}

/** The end of the value that starts here, found by quotes and brackets alone. */
function skipValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === quote) return skipString(bytes, start);
  if (first === openBrace || first === openBracket) return skipNested(bytes, start);
  let at = start;
  while (at < bytes.length && !endsScalar(bytes[at])) at += 1;
  if (at === start) throw new NotAPage();
  return at;
}

function skipNested(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = skipString(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new NotAPage();
}

function skipString(bytes: Uint8Array, start: number): number {
  for (let at = expect(bytes, start, quote); at < bytes.length; at += 1) {
    if (bytes[at] === backslash) at += 1;
    else if (bytes[at] === quote) return at + 1;
  }
  throw new NotAPage();
}

function endsScalar(byte: number | undefined): boolean {
  return byte === comma || byte === closeBrace || byte === closeBracket || isSpace(byte);
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function expect(bytes: Uint8Array, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new NotAPage();
  return at + 1;
}
