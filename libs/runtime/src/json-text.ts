/** JSON text in UTF-8 that is read in place: values are byte ranges, nothing is built. */
export interface JsonText {
  readonly bytes: Buffer;
  /** Where escapes begin that are half a character. */
  readonly halves: number[];
  /** Byte ranges of the names in the objects around the present place, as pairs. */
  readonly names: number[];
  depth: number;
}

/** The text is no JSON, names a member twice in one object, or is nested too deeply. */
export class NotJson extends Error {
  override name = 'NotJson';
}

/** Visits a member, its name without quotes; returns where its value ends. */
export type VisitMember = (nameStart: number, nameEnd: number, valueStart: number) => number;
/** Visits an element; returns where it ends. */
export type VisitElement = (start: number) => number;

/** Nesting that any parser reads, and that recursion here can follow. */
const depthMax = 64;
/** Beyond these a set finds a repeated name. */
const comparedNamesMax = 32;

const code = (character: string): number => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const comma = code(',');
const colon = code(':');
const openBrace = code('{');
const closeBrace = code('}');
const openBracket = code('[');
const closeBracket = code(']');
const minus = code('-');
const [zero, nine] = [code('0'), code('9')];
const unicode = code('u');
const simpleEscapes: ReadonlySet<number | undefined> = new Set([...'"\\/bfnrt'].map(code));
const literals: ReadonlyMap<number | undefined, Buffer> = new Map(
  ['true', 'false', 'null'].map((word) => [code(word), Buffer.from(word)] as const),
);

export function openJsonText(bytes: Buffer): JsonText {
  return { bytes, halves: [], names: [], depth: 0 };
}

/** Reads the object that begins at `at`. Returns its end. Throws {@link NotJson}. */
export function readObject(text: JsonText, at: number, visit: VisitMember): number {
  const { bytes, names } = text;
  let next = enter(text, at, openBrace);
  if (bytes[next] === closeBrace) return leave(text, next);
  const first = names.length;
  let known: Set<string> | null = null;
  for (;;) {
    const start = next + 1;
    const end = skipString(text, next) - 1;
    known = refuseRepeatedName(text, first, start, end, known);
    names.push(start, end);
    next = expect(bytes, skipSpace(bytes, end + 1), colon);
    next = skipSpace(bytes, visit(start, end, skipSpace(bytes, next)));
    if (bytes[next] === closeBrace) break;
    next = skipSpace(bytes, expect(bytes, next, comma));
  }
  names.length = first;
  return leave(text, next);
}

/** Reads the array that begins at `at`. Returns its end. Throws {@link NotJson}. */
export function readArray(text: JsonText, at: number, visit: VisitElement): number {
  const { bytes } = text;
  let next = enter(text, at, openBracket);
  if (bytes[next] === closeBracket) return leave(text, next);
  for (;;) {
    next = skipSpace(bytes, visit(next));
    if (bytes[next] === closeBracket) return leave(text, next);
    next = skipSpace(bytes, expect(bytes, next, comma));
  }
}

/** The end of the value that begins at `at`. Throws {@link NotJson}. */
export function skipValue(text: JsonText, at: number): number {
  const { bytes } = text;
  const byte = bytes[at];
  switch (byte) {
    case quote:
      return skipString(text, at);
    case openBrace:
      return readObject(text, at, (_start, _end, value) => skipValue(text, value));
    case openBracket:
      return readArray(text, at, (start) => skipValue(text, start));
    default:
      return byte === minus || isDigit(byte) ? skipNumber(bytes, at) : skipLiteral(bytes, at);
  }
}

export function skipSpace(bytes: Buffer, from: number): number {
  for (let at = from; ; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
  }
}

/** The name or the content of a string between these places, without quotes. */
export function textBetween(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** Replaces every half of a character that was read so far by U+FFFD, in place. */
export function mendHalves({ bytes, halves }: JsonText): void {
  for (const at of halves) bytes.write('\\ufffd', at);
  halves.length = 0;
}

/** Which of these names, in their text, is written between these places; -1 for any other. */
export function findName(
  bytes: Buffer,
  start: number,
  end: number,
  names: readonly Buffer[],
): number {
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index];
    if (name?.length === end - start && isSame(bytes, start, name)) return index;
  }
  if (!hasEscape(bytes, start, end)) return -1;
  const decoded = Buffer.from(textBetween(bytes, start, end));
  return names.findIndex((name) => name.equals(decoded));
}

function enter(text: JsonText, at: number, bracket: number): number {
  const next = expect(text.bytes, at, bracket);
  text.depth += 1;
  if (text.depth > depthMax) throw new NotJson('nested too deeply');
  return skipSpace(text.bytes, next);
}

function leave(text: JsonText, at: number): number {
  text.depth -= 1;
  return at + 1;
}

/** Compares byte by byte while names are few and plain, by a set of all of them otherwise. */
function refuseRepeatedName(
  { bytes, names }: JsonText,
  first: number,
  start: number,
  end: number,
  known: Set<string> | null,
): Set<string> | null {
  const isMany = names.length - first >= 2 * comparedNamesMax;
  if (known === null && !isMany && !hasEscape(bytes, start, end)) {
    for (let at = first; at < names.length; at += 2) {
      const other = names[at] ?? 0;
      if ((names[at + 1] ?? 0) - other !== end - start) continue;
      if (isSame(bytes, other, bytes, start, end - start)) throw new NotJson('a member twice');
    }
    return null;
  }
  const all = known ?? new Set<string>();
  if (known === null) {
    for (let at = first; at < names.length; at += 2) {
      all.add(textBetween(bytes, names[at] ?? 0, names[at + 1] ?? 0));
    }
  }
  const name = textBetween(bytes, start, end);
  if (all.has(name)) throw new NotJson('a member twice');
  return all.add(name);
}

function isSame(
  bytes: Buffer,
  start: number,
  others: Buffer,
  from = 0,
  length = others.length,
): boolean {
  for (let at = 0; at < length; at += 1) {
    if (bytes[start + at] !== others[from + at]) return false;
  }
  return true;
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] === backslash) return true;
  return false;
}

function skipString(text: JsonText, start: number): number {
  const { bytes } = text;
  for (let at = expect(bytes, start, quote); ; at += 1) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    if (byte === backslash) at = skipEscape(text, at) - 1;
    else if (byte === undefined || byte < 0x20) throw new NotJson('an open string');
  }
}

/** Notes an escape that is half a character: a surrogate without its other half beside it. */
function skipEscape({ bytes, halves }: JsonText, at: number): number {
  if (bytes[at + 1] !== unicode) {
    if (!simpleEscapes.has(bytes[at + 1])) throw new NotJson('an unknown escape');
    return at + 2;
  }
  const unit = codeUnit(bytes, at + 2);
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  const hasNext = unit < 0xdc00 && bytes[at + 6] === backslash && bytes[at + 7] === unicode;
  const next = hasNext ? codeUnit(bytes, at + 8) : 0;
  if (next >= 0xdc00 && next <= 0xdfff) return at + 12;
  halves.push(at);
  return at + 6;
}

function codeUnit(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let place = at; place < at + 4; place += 1) {
    const byte = bytes[place] ?? 0;
    const lower = byte | 0x20;
    if (isDigit(byte)) unit = unit * 16 + byte - zero;
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x57;
    else throw new NotJson('an unknown escape');
  }
  return unit;
}

function skipNumber(bytes: Buffer, from: number): number {
  let at = bytes[from] === minus ? from + 1 : from;
  at = bytes[at] === zero ? at + 1 : skipDigits(bytes, at);
  if (bytes[at] === code('.')) at = skipDigits(bytes, at + 1);
  if (((bytes[at] ?? 0) | 0x20) !== code('e')) return at;
  const isSigned = bytes[at + 1] === code('+') || bytes[at + 1] === minus;
  return skipDigits(bytes, isSigned ? at + 2 : at + 1);
}

function skipDigits(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  if (at === from) throw new NotJson('a number without digits');
  return at;
}

function skipLiteral(bytes: Buffer, at: number): number {
  const literal = literals.get(bytes[at]);
  if (!literal) throw new NotJson('no value');
  return literal.reduce((place, byte) => expect(bytes, place, byte), at);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}

function expect(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new NotJson('another byte was due');
  return at + 1;
}
