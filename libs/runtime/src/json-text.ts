/** JSON text in UTF-8 that is read in place: values are byte ranges, nothing is built. */
export interface JsonText {
  readonly bytes: Buffer;
  /** Where escapes begin that are half a character. */
  readonly halves: number[];
  /** The names in the objects around the present index: start, end and sketch of each. */
  readonly names: number[];
  /** How much of `names` is in use. */
  namesEnd: number;
  /** Of the latest name: equal for equal names, and seldom for others. */
  sketch: number;
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
/** Numbers that are kept of each name. */
const perName = 3;
/** Instead of the sketch of a name with an escape. */
const escaped = -1;

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
  return { bytes, halves: [], names: [], namesEnd: 0, sketch: 0, depth: 0 };
}

/** Reads the object that begins at `at`. Returns its end. Throws {@link NotJson}. */
export function readObject(text: JsonText, at: number, visit: VisitMember | null): number {
  const { bytes } = text;
  let next = enter(text, at, openBrace);
  if (bytes[next] === closeBrace) return leave(text, next);
  const first = text.namesEnd;
  let known: Set<string> | null = null;
  for (;;) {
    const start = next + 1;
    const end = skipName(text, next) - 1;
    known = addName(text, first, start, end, known);
    next = expect(bytes, skipSpace(bytes, end + 1), colon);
    const value = skipSpace(bytes, next);
    next = skipSpace(bytes, visit === null ? skipValue(text, value) : visit(start, end, value));
    if (bytes[next] === closeBrace) break;
    next = skipSpace(bytes, expect(bytes, next, comma));
  }
  text.namesEnd = first;
  return leave(text, next);
}

/** Reads the array that begins at `at`. Returns its end. Throws {@link NotJson}. */
export function readArray(text: JsonText, at: number, visit: VisitElement | null): number {
  const { bytes } = text;
  let next = enter(text, at, openBracket);
  if (bytes[next] === closeBracket) return leave(text, next);
  for (;;) {
    next = skipSpace(bytes, visit === null ? skipValue(text, next) : visit(next));
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
      return readObject(text, at, null);
    case openBracket:
      return readArray(text, at, null);
    default:
      return byte === minus || isDigit(byte) ? skipNumber(bytes, at) : skipLiteral(bytes, at);
  }
}

export function skipSpace(bytes: Buffer, from: number): number {
  for (let at = from; ; at += 1) {
    const byte = bytes[at] ?? quote;
    if (byte > 0x20) return at;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
  }
}

/** The name or the content of a string between these indexes, without quotes. */
export function textBetween(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** Replaces every half of a character that was read so far by U+FFFD, in place. */
export function mendHalves({ bytes, halves }: JsonText): void {
  if (halves.length === 0) return;
  for (const at of halves) bytes.write('\\ufffd', at);
  halves.length = 0;
}

/** Names to be found. */
export interface Names {
  readonly texts: readonly Buffer[];
  readonly sketches: readonly number[];
}

export function namesOf(names: readonly string[]): Names {
  const texts = names.map((name) => Buffer.from(name));
  const sketches = texts.map((name) => {
    const text = openJsonText(Buffer.from(`"${name}"`));
    skipName(text, 0);
    return text.sketch;
  });
  return { texts, sketches };
}

/** Which of these is the name that is being visited, between these indexes; -1 for any other. */
export function findName(text: JsonText, start: number, end: number, names: Names): number {
  const { bytes, sketch } = text;
  const { texts, sketches } = names;
  if (sketch === escaped) {
    const decoded = Buffer.from(textBetween(bytes, start, end));
    return texts.findIndex((name) => name.equals(decoded));
  }
  for (let index = 0; index < sketches.length; index += 1) {
    if (sketches[index] !== sketch) continue;
    const name = texts[index];
    if (name?.length === end - start && isSame(bytes, start, name, 0, name.length)) return index;
  }
  return -1;
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

/**
 * Adds a name of the present object, unless it is there. Names are compared by their sketches, then byte
 * by byte, while they are few and plain; by a set of all of them otherwise.
 */
function addName(
  text: JsonText,
  first: number,
  start: number,
  end: number,
  known: Set<string> | null,
): Set<string> | null {
  const { bytes, names, namesEnd, sketch } = text;
  const isMany = namesEnd - first >= perName * comparedNamesMax;
  let all = known;
  if (all === null && !isMany && sketch !== escaped) {
    for (let at = first; at < namesEnd; at += perName) {
      if (names[at + 2] !== sketch) continue;
      const [other = 0, otherEnd = 0] = [names[at], names[at + 1]];
      if (otherEnd - other !== end - start) continue;
      if (isSame(bytes, other, bytes, start, end - start)) throw new NotJson('a member twice');
    }
  } else {
    all ??= namesSince(text, first);
    const name = textBetween(bytes, start, end);
    if (all.has(name)) throw new NotJson('a member twice');
    all.add(name);
  }
  names[namesEnd] = start;
  names[namesEnd + 1] = end;
  names[namesEnd + 2] = sketch;
  text.namesEnd = namesEnd + perName;
  return all;
}

function namesSince({ bytes, names, namesEnd }: JsonText, first: number): Set<string> {
  const all = new Set<string>();
  for (let at = first; at < namesEnd; at += perName) {
    all.add(textBetween(bytes, names[at] ?? 0, names[at + 1] ?? 0));
  }
  return all;
}

/** As {@link skipString}; leaves the sketch of the name in the text. */
function skipName(text: JsonText, start: number): number {
  const { bytes } = text;
  let sketch = 0;
  for (let at = expect(bytes, start, quote); ; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      text.sketch = sketch;
      return at + 1;
    }
    if (byte === backslash || byte < 0x20) break;
    sketch = (Math.imul(sketch, 31) + byte) & 0x3fffffff;
  }
  text.sketch = escaped;
  return skipString(text, start);
}

function isSame(bytes: Buffer, start: number, others: Buffer, from: number, length: number) {
  for (let at = 0; at < length; at += 1) {
    if (bytes[start + at] !== others[from + at]) return false;
  }
  return true;
}

function skipString(text: JsonText, start: number): number {
  const { bytes } = text;
  for (let at = expect(bytes, start, quote); ; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte > backslash) continue;
    if (byte === quote) return at + 1;
    if (byte === backslash) at = skipEscape(text, at) - 1;
    else if (byte < 0x20) throw new NotJson('an open string');
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
  for (let index = at; index < at + 4; index += 1) {
    const byte = bytes[index] ?? 0;
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
  return literal.reduce((index, byte) => expect(bytes, index, byte), at);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}

function expect(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new NotJson('another byte was due');
  return at + 1;
}
