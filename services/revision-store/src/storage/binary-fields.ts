import { Binary } from 'mongodb';

/** Numbers as bytes, little-endian as on every machine this runs on. */
export function toNumberBytes(numbers: Uint32Array | Uint16Array): Binary {
  return new Binary(Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

/** A copy, because bytes inside a reply are not aligned. */
export function toUint32(bytes: Binary): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes.buffer).buffer);
}

export function toUint16(bytes: Binary): Uint16Array {
  return new Uint16Array(Uint8Array.from(bytes.buffer).buffer);
}

/** The bytes of a binary field, without a copy. */
export function bufferOf(binary: Binary): Buffer {
  return Buffer.from(binary.buffer.buffer, binary.buffer.byteOffset, binary.length());
}
