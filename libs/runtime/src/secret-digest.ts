import { hash } from 'node:crypto';

/**
 * The digest by which a secret is stored and looked up. A plain SHA-256 is sufficient: a secret has
 * 256 random bits, so a slow hash would add nothing.
 */
export function secretDigest(secret: string): string {
  return hash('sha256', secret, 'hex');
}
