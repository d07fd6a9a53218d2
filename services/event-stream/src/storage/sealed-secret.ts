import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { invariant } from '@inventory/runtime/bug';

/** Encrypts secrets at rest. They must be readable: a signature needs the secret itself. */
export interface SecretSealer {
  /** `owner` is authenticated with the ciphertext: under another owner it does not decrypt. */
  seal(secret: string, owner: string): string;
  /** Null when no key decrypts it, or it belongs to another owner. */
  open(sealed: string, owner: string): string | null;
  /** Whether the first key decrypts it. */
  isCurrent(sealed: string, owner: string): boolean;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Keys in base64url: the first encrypts, all decrypt, so that keys can be replaced. */
export function createSecretSealer(encodedKeys: readonly string[]): SecretSealer {
  const keys = encodedKeys.map((key) => Buffer.from(key, 'base64url'));
  const [sealing] = keys;
  invariant(sealing !== undefined, 'there is no key to encrypt secrets with');
  return {
    seal(secret, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, sealing, nonce);
      cipher.setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
    },
    open(sealed, owner) {
      for (const key of keys) {
        const secret = openWith(key, Buffer.from(sealed, 'base64url'), owner);
        if (secret !== null) return secret;
      }
      return null;
    },
    isCurrent: (sealed, owner) =>
      openWith(sealing, Buffer.from(sealed, 'base64url'), owner) !== null,
  };
}

function openWith(key: Buffer, bytes: Buffer, owner: string): string | null {
  if (bytes.length < nonceBytes + tagBytes) return null;
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const sealed = bytes.subarray(nonceBytes, -tagBytes);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
