import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';

/** Seals the contents of cursors, so that clients can neither read, create nor change them. */
export interface CursorSealer {
  /** `binding` names everything that the cursor is valid for; opening requires the same one. */
  seal(content: string, binding: readonly string[]): string;
  /** Null for a text that was not sealed under this binding. */
  open(cursor: string, binding: readonly string[]): string | null;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Keys as they are configured: base64url, at least one. */
export function decodeCursorKeys(encoded: readonly string[]): [Buffer, ...Buffer[]] {
  const [first, ...others] = encoded.map((key) => Buffer.from(key, 'base64url'));
  invariant(first !== undefined, 'there is no cursor key');
  return [first, ...others];
}

/** The first key seals; every key opens, so that keys can be replaced without breaking chains. */
export function createCursorSealer(keys: readonly [Buffer, ...Buffer[]]): CursorSealer {
  return {
    seal(content, binding) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, keys[0], nonce);
      cipher.setAAD(aadOf(binding));
      const sealed = Buffer.concat([cipher.update(content, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
    },
    open(cursor, binding) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Several base64 texts decode to the same bytes; only the issued one is a cursor.
      if (bytes.toString('base64url') !== cursor) return null;
      if (bytes.length < nonceBytes + tagBytes) return null;
      for (const key of keys) {
        const content = openWith(key, bytes, aadOf(binding));
        if (content !== null) return content;
      }
      return null;
    },
  };
}

/** The content of a cursor; refused as `invalid_cursor` when it was not sealed under this binding. */
export function openOrRefuse(
  cursors: CursorSealer,
  cursor: string,
  binding: readonly string[],
): string {
  const content = cursors.open(cursor, binding);
  if (content === null) throw new Refused({ code: 'invalid_cursor' });
  return content;
}

function openWith(key: Buffer, bytes: Buffer, aad: Buffer): string | null {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(aad);
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const sealed = bytes.subarray(nonceBytes, -tagBytes);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** No two bindings have the same text. */
function aadOf(binding: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(binding));
}
