/** What commits are made of. */
type Value = string | number | Date | Uint8Array | readonly Value[] | object;

/** Far beyond the limits of a commit. */
const bytesMax = 4 * 1024 * 1024;
const bytes = Buffer.alloc(bytesMax);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * The elements of a document as the driver stores them, without the length before and the
 * terminator behind them. Valid until the next call. It knows only what commits are made of, and
 * so takes a fraction of the driver's time, which a commit would otherwise cost twice.
 */
export function bsonElements(document: object): Uint8Array {
  const end = writeElements(document as Record<string, Value>, 0);
  if (end > bytesMax) throw new RangeError('a commit has more bytes than any commit can have');
  return bytes.subarray(0, end);
}

function writeElements(document: Readonly<Record<string, Value>>, start: number): number {
  let at = start;
  for (const name in document) at = writeElement(name, document[name] as Value, at);
  return at;
}

function writeElement(name: string, value: Value, at: number): number {
  const valueAt = writeText(name, at + 1);
  bytes[valueAt] = 0;
  if (typeof value === 'string') {
    bytes[at] = 0x02;
    return writeString(value, valueAt + 1);
  }
  if (typeof value === 'number') return writeNumber(value, at, valueAt + 1);
  if (value instanceof Date) {
    bytes[at] = 0x09;
    view.setBigInt64(valueAt + 1, BigInt(value.getTime()), true);
    return valueAt + 9;
  }
  if (value instanceof Uint8Array) {
    bytes[at] = 0x05;
    view.setInt32(valueAt + 1, value.length, true);
    bytes[valueAt + 5] = 0;
    bytes.set(value, valueAt + 6);
    return valueAt + 6 + value.length;
  }
  bytes[at] = Array.isArray(value) ? 0x04 : 0x03;
  const end = Array.isArray(value)
    ? writeArray(value, valueAt + 5)
    : writeElements(value as Record<string, Value>, valueAt + 5);
  bytes[end] = 0;
  view.setInt32(valueAt + 1, end - valueAt, true);
  return end + 1;
}

function writeArray(values: readonly Value[], start: number): number {
  let at = start;
  for (let index = 0; index < values.length; index += 1) {
    at = writeElement(String(index), values[index] as Value, at);
  }
  return at;
}

function writeNumber(value: number, typeAt: number, at: number): number {
  if ((value | 0) === value && !Object.is(value, -0)) {
    bytes[typeAt] = 0x10;
    view.setInt32(at, value, true);
    return at + 4;
  }
  bytes[typeAt] = 0x01;
  view.setFloat64(at, value, true);
  return at + 8;
}

function writeString(text: string, at: number): number {
  const end = writeText(text, at + 4);
  bytes[end] = 0;
  view.setInt32(at, end - at - 3, true);
  return end + 1;
}

function writeText(text: string, start: number): number {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return start + bytes.write(text, start, 'utf8');
    bytes[start + index] = code;
  }
  return start + text.length;
}
