import { createHash, hash } from 'node:crypto';

/** SHA-256 in hex, as in the names of chunks. */
export function sha256Hex(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** SHA-256 of a text in its shortest printable form, for digests that are held by the thousand. */
export function sha256Text(text: string | Buffer): string {
  return hash('sha256', text, 'base64url');
}

/** Six bytes of a SHA-256, for digests that are held by the hundred thousand. */
export function sha256Number(bytes: Buffer): number {
  // As text: a buffer would have memory of its own, outside the heap.
  const digest = hash('sha256', bytes, 'binary');
  let number = 0;
  for (let at = 0; at < 6; at += 1) number = number * 256 + digest.charCodeAt(at);
  return number;
}
