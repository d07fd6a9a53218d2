import { hash } from 'node:crypto';
import type { AccountId } from '@inventory/contracts/ids';

/** The first byte of a stored key: what the key is about. */
const kindOf = {
  reserve: 1,
  resolve: 2,
  charge: 3,
  reverse: 4,
} as const;
const operatorKind = 5;
const keyBytes = 17;
const uuidCharacters = 36;

/**
 * A command key as the unique index has it: its kind and the UUID of its refresh or request. The
 * index is never cleared, so it is kept small, and since the ids carry their time it grows at the
 * end of each kind. An operator's own key is digested together with the account it is for.
 */
export function storedCommandKey(accountId: AccountId, key: string): Buffer {
  const stored = Buffer.alloc(keyBytes);
  const kind: number =
    kindOf[key.slice(0, key.indexOf(':')) as keyof typeof kindOf] ?? operatorKind;
  stored[0] = kind;
  if (kind === operatorKind) {
    stored.write(hash('sha256', `${accountId} ${key}`, 'hex').slice(0, 32), 1, 'hex');
  } else writeUuid(stored, key);
  return stored;
}

/** The UUID at the end of the key, after the kind. */
function writeUuid(stored: Buffer, key: string): void {
  let nibbles = 2;
  for (let index = key.length - uuidCharacters; index < key.length; index += 1) {
    const code = key.charCodeAt(index);
    if (code === 45) continue;
    const value = code < 58 ? code - 48 : code - 87;
    const at = nibbles >> 1;
    stored[at] = ((stored[at] ?? 0) << 4) | value;
    nibbles += 1;
  }
}
