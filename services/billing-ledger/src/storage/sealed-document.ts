import { hash as digestOf } from 'node:crypto';
import { BSON } from 'mongodb';

/** SHA-256 over the stored bytes of every other field, in hexadecimal; always the last field. */
export interface Sealed {
  readonly hash: string;
}

/** As the driver serializes an inserted document. */
const writing = { ignoreUndefined: false } as const;
const lengthBytes = 4;
const hashDigits = 64;

/** The same document with the hash of its bytes as the last field. */
export function seal<Unsealed extends object>(unsealed: Unsealed): Unsealed & Sealed {
  // Without the length before the elements and the terminator behind them.
  const elements = BSON.serialize(unsealed, writing).subarray(lengthBytes, -1);
  return { ...unsealed, hash: digest(elements) };
}

/** Whether stored bytes are those that were hashed. */
export function isIntact(bytes: Uint8Array, hash: string): boolean {
  const sealAt = bytes.length - sealBytes;
  if (sealAt <= lengthBytes || digest(bytes.subarray(lengthBytes, sealAt)) !== hash) return false;
  return sealOf(hash).equals(bytes.subarray(sealAt));
}

/** The element `hash` and the end of the document, as stored. */
function sealOf(hash: string): Buffer {
  return Buffer.from(`\x02hash\x00\x41\x00\x00\x00${hash}\x00\x00`, 'latin1');
}

const sealBytes = sealOf('0'.repeat(hashDigits)).length;

function digest(elements: Uint8Array): string {
  return digestOf('sha256', elements, 'hex');
}
