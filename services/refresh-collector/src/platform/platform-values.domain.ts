import { type JsonText, skipValue, textBetween } from '@inventory/runtime/json-text';

const idPattern = /^[0-9]{1,20}$/;
const idBytesMax = 20;
const numberPattern = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/;
/** More than any scalar that is read. */
const scalarBytesMax = 200;
/** Digits of a number that is exact, whatever they are. */
const exactDigitsMax = 15;
const [openBrace, openBracket, quote, zero, nine] = [0x7b, 0x5b, 0x22, 0x30, 0x39];
const [point, exponent] = [0x2e, 0x65];

export function isObjectAt({ bytes }: JsonText, at: number): boolean {
  return bytes[at] === openBrace;
}

export function isListAt({ bytes }: JsonText, at: number): boolean {
  return bytes[at] === openBracket;
}

/** Absent, null or "": an empty list. */
export function isEmptyAt(text: JsonText, at: number): boolean {
  return at === 0 || ['null', '""'].includes(scalarAt(text, at));
}

/**
 * Ids are strings end to end: the digits as sent, of a number too, and those of a whole number in
 * another notation: 1.0 is 1. Null for anything else.
 */
export function idAt(text: JsonText, at: number): string | null {
  if (at === 0) return null;
  const length = plainIdLength(text, at);
  if (length > 0) return text.bytes.toString('latin1', at + 1, at + 1 + length);
  const raw = scalarAt(text, at);
  const digits = raw[0] === '"' ? textBetween(text.bytes, at + 1, at + raw.length - 1) : raw;
  return idPattern.test(digits) ? digits : wholeDigits(digits);
}

/** Exact: an id has more digits than a double. */
function wholeDigits(number: string): string | null {
  const [, sign, whole, fraction = '', exponent = '0'] = numberPattern.exec(number) ?? [];
  if (whole === undefined) return null;
  const significant = (whole + fraction).replace(/0+$/, '');
  if (significant === '') return '0';
  const length = whole.length + Number(exponent);
  if (sign === '-' || length < significant.length) return null;
  const digits = significant.padEnd(length, '0').replace(/^0+/, '');
  return digits.length <= idBytesMax ? digits : null;
}

/** A count, of digits in a string too. */
export function countAt(text: JsonText, at: number): number | null {
  const plain = plainCountAt(text, at);
  if (plain !== null) return plain;
  const count = Number(idAt(text, at) ?? Number.NaN);
  return Number.isSafeInteger(count) ? count : null;
}

/** Whether a flag is set: absent, null, false, "" and zero are not. */
export function isFlagAt(text: JsonText, at: number): boolean {
  if (at === 0 || countAt(text, at) === 0) return false;
  return !['null', 'false', '""'].includes(scalarAt(text, at));
}

/** The text of a scalar; empty for what is longer than any that is read. */
export function scalarAt(text: JsonText, at: number): string {
  const end = skipValue(text, at);
  return end - at > scalarBytesMax ? '' : text.bytes.toString('latin1', at, end);
}

/** The application's id is a number. */
export function appIdAt(text: JsonText, at: number): number | null {
  if (text.bytes[at] === quote) return null;
  return countAt(text, at);
}

/** A number of few digits and nothing else; null for any other. */
function plainCountAt({ bytes }: JsonText, at: number): number | null {
  if (at === 0) return null;
  let count = 0;
  let end = at;
  for (let byte = bytes[end]; isDigit(byte); byte = bytes[end]) {
    count = count * 10 + byte - zero;
    end += 1;
  }
  const digits = end - at;
  const next = bytes[end] ?? 0;
  const isWhole = next !== point && (next | 0x20) !== exponent;
  return isWhole && digits > 0 && digits <= exactDigitsMax ? count : null;
}

/** Whether an id is written as the contract requires. */
export function isPlainId(text: JsonText, at: number): boolean {
  return plainIdLength(text, at) > 0;
}

/** The digits of an id that is written as the contract requires, else 0. */
function plainIdLength({ bytes }: JsonText, at: number): number {
  if (bytes[at] !== quote) return 0;
  let length = 0;
  while (isDigit(bytes[at + 1 + length])) length += 1;
  return bytes[at + 1 + length] === quote && length <= idBytesMax ? length : 0;
}

function isDigit(byte: number | undefined): byte is number {
  return byte !== undefined && byte >= zero && byte <= nine;
}
