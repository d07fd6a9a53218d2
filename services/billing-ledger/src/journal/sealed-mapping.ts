import { hash as digestOf } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** The content of a document as one binary field, and its digest. */
export interface Sealed {
  /** JSON text. */
  readonly content: Buffer;
  /** SHA-256 of `content`, in hexadecimal. */
  readonly hash: string;
}

/** Binary fields come as buffers. */
export const readingSealed = { promoteBuffers: true } as const;

export function seal(content: object): Sealed {
  const bytes = Buffer.from(JSON.stringify(content));
  return { content: bytes, hash: digestOf('sha256', bytes, 'hex') };
}

/** Whether the content is the one that was hashed, and the other fields are these and no more. */
export function isIntact({ content, hash, ...fields }: Sealed, expected: object): boolean {
  return digestOf('sha256', content, 'hex') === hash && isDeepStrictEqual(fields, expected);
}

/** Throws where it is no JSON text any more. */
export function unseal({ content }: Sealed): unknown {
  return JSON.parse(content.toString());
}
