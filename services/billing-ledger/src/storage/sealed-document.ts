import { createHmac, hash as digestOf, timingSafeEqual } from 'node:crypto';
import { BSON } from 'mongodb';

/** SHA-256 over the stored bytes of every other field, in hexadecimal; always the last field. */
export interface Sealed {
  readonly hash: string;
}

/** HMAC-SHA-256 over the stored bytes of every other field, in hexadecimal; always the last field. */
export interface Signed {
  readonly signature: string;
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

/** The same document with the signature of its bytes as the last field. */
export function sign<Unsigned extends object>(unsigned: Unsigned, key: Buffer): Unsigned & Signed {
  return { ...unsigned, signature: hmac(elementsOf(unsigned), key) };
}

/** Whether stored bytes are those that were signed by one of the keys. */
export function isSigned(bytes: Uint8Array, signature: string, keys: readonly Buffer[]): boolean {
  const elements = elementsBefore(bytes, 'signature', signature);
  if (elements === null) return false;
  const given = Buffer.from(signature);
  return keys.some((key) => {
    const expected = Buffer.from(hmac(elements, key));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
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

function hmac(elements: Uint8Array, key: Buffer): string {
  return createHmac('sha256', key).update(elements).digest('hex');
}
