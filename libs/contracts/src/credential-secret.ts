import { crc32 } from 'node:zlib';
import type { Environment } from './environment.ts';
import { type CredentialId, idPrefixes } from './ids.ts';

/**
 * The secret of a Credential: `inv_<public id>_<entropy>_<checksum>`, of a sandbox account
 * `inv_test_…`. The public id identifies the Credential of a leaked key; the entropy is 256 bits; the
 * checksum allows refusing a mistyped or truncated key without a read of the store. No service reads
 * the environment from it.
 */
export type CredentialSecret = `inv_${string}`;

const prefixes: Readonly<Record<Environment, CredentialSecret>> = {
  live: 'inv_',
  sandbox: 'inv_test_',
};
/** Number of random bytes of a secret. */
export const secretEntropyBytes = 32;

const publicIdCharacters = 22;
const entropyCharacters = 43;
const checksumCharacters = 6;
const pattern = `inv_(?:test_)?[0-9A-Za-z]{${publicIdCharacters}}_[0-9A-Za-z]{${entropyCharacters}}_[0-9A-Za-z]{${checksumCharacters}}`;
/** Finds secrets in any text, as the pattern of a secret scanner. */
export const secretPattern = `\\b${pattern}\\b`;
const form = new RegExp(`^${pattern}$`);
const secretCharactersMax =
  prefixes.sandbox.length + publicIdCharacters + 1 + entropyCharacters + 1 + checksumCharacters;

/** Writes the secret of a Credential; `entropy` is {@link secretEntropyBytes} random bytes. */
export function writeSecret(
  credentialId: CredentialId,
  entropy: Uint8Array,
  environment: Environment = 'live',
): CredentialSecret {
  const body =
    `${prefixes[environment]}${publicIdOf(credentialId)}_${base62(entropy, entropyCharacters)}` as const;
  return `${body}_${checksumOf(body)}`;
}

/** Checks form and checksum only, not whether such a Credential exists. */
export function isWellFormedSecret(text: string): boolean {
  if (text.length > secretCharactersMax || !form.test(text)) return false;
  const checksumAt = text.length - checksumCharacters;
  return checksumOf(text.slice(0, checksumAt - 1)) === text.slice(checksumAt);
}

/** The public part of a secret: the UUID of the Credential in base 62. */
export function publicIdOf(credentialId: CredentialId): string {
  const hex = credentialId.slice(idPrefixes.credential.length).replaceAll('-', '');
  return base62(Buffer.from(hex, 'hex'), publicIdCharacters);
}

/** The Credential that a public id belongs to; null where it is none. */
export function credentialIdOf(publicId: string): CredentialId | null {
  if (!/^[0-9A-Za-z]{22}$/.test(publicId)) return null;
  let number = 0n;
  for (const character of publicId) number = number * 62n + BigInt(alphabet.indexOf(character));
  const hex = number.toString(16).padStart(32, '0');
  if (hex.length > 32) return null;
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex) ?? [];
  return `${idPrefixes.credential}${parts.join('-')}`;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The bytes as one big-endian number in base 62, padded to a fixed width: no bit is lost. */
function base62(bytes: Uint8Array, width: number): string {
  let rest = 0n;
  for (const byte of bytes) rest = rest * 256n + BigInt(byte);
  let text = '';
  for (; rest > 0n; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, alphabet.charAt(0));
}

function checksumOf(text: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(text));
  return base62(sum, checksumCharacters);
}
