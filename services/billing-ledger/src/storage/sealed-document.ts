import { hash as digestOf } from 'node:crypto';
import { BSON } from 'mongodb';

/** SHA-256 over the stored bytes of every other field, in hexadecimal; always the last field. */
export interface Sealed {
  readonly hash: string;
}

/** As the driver serializes an inserted document. */
const writing = { ignoreUndefined: false } as const;
const lengthBytes = 4;

/** The same document with the hash of its bytes as the last field. */
export function seal<Unsealed extends object>(unsealed: Unsealed): Unsealed & Sealed {
  return { ...unsealed, hash: digest(elementsOf(unsealed)) };
}

/** Whether stored bytes are those that were hashed. */
export function isIntact(bytes: Uint8Array, hash: string): boolean {
  const elements = elementsBefore(bytes, 'hash', hash);
  return elements !== null && digest(elements) === hash;
}

/** Without the length before the elements and the terminator behind them. */
function elementsOf(document: object): Uint8Array {
  return BSON.serialize(document, writing).subarray(lengthBytes, -1);
}

/** Null where the document does not end with the field. */
function elementsBefore(bytes: Uint8Array, field: string, value: string): Uint8Array | null {
  const end = Buffer.from(`\x02${field}\x00\x41\x00\x00\x00${value}\x00\x00`, 'latin1');
  const at = bytes.length - end.length;
  if (at <= lengthBytes || !end.equals(bytes.subarray(at))) return null;
  return bytes.subarray(lengthBytes, at);
}

function digest(elements: Uint8Array): string {
  return digestOf('sha256', elements, 'hex');
}
