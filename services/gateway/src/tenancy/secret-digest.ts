import { createHash } from 'node:crypto';

/**
 * What is stored and looked up instead of a secret. A plain SHA-256 is enough: a secret is 256
 * random bits, so there is nothing to guess that a slow hash would protect.
 */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
