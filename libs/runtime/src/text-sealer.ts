import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { invariant } from './bug.ts';

/** Encrypts and authenticates texts (AES-256-GCM). */
export type TextSealer = ReturnType<typeof createTextSealer>;

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Keys in base64url: the first seals, all open, so that keys can be replaced. */
export function createTextSealer(encodedKeys: readonly string[]) {
  // As key objects: from bytes each cipher would make one, which takes five times as long.
  const keys = encodedKeys.map((key) => createSecretKey(key, 'base64url'));
  const [first] = keys;
  invariant(first !== undefined, 'there is no key to seal with');
  return {
    /** `binding` is authenticated with the text: under another one it does not open. */
    seal(text: string, binding: string): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, first, nonce);
      cipher.setAAD(Buffer.from(binding));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
    },
    /** Null for what no key sealed under this binding. */
    open(sealed: string, binding: string): string | null {
      for (const key of keys) {
        const text = openWith(key, sealed, binding);
        if (text !== null) return text;
      }
      return null;
    },
    /** Whether the first key opens it. */
    isCurrent: (sealed: string, binding: string): boolean =>
      openWith(first, sealed, binding) !== null,
  };
}

function openWith(key: KeyObject, sealed: string, binding: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  // Several base64 texts decode to the same bytes; only the issued one opens.
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed) return null;
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(binding));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const content = bytes.subarray(nonceBytes, -tagBytes);
    return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
