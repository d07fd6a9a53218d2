import { createHash, randomBytes } from 'node:crypto';

/** Generates identifiers. Injected, so that tests can make them predictable. */
export interface Identifiers {
  /** UUIDv7 (RFC 9562): time-ordered, so that indexes grow at their right edge. */
  uuidV7(): string;
}

/** UUIDv7 from a time in milliseconds and 10 random bytes. */
export function uuidV7From(timeMs: number, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(timeMs, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return formatUuid(bytes);
}

/** UUIDv5 (RFC 9562): determined by namespace and name. */
export function uuidV5(namespaceUuid: string, name: string): string {
  return hashedUuid('sha1', 5, namespaceUuid, name);
}

/** UUIDv8 (RFC 9562) with the leading bits of the SHA-256 of namespace and name. */
export function uuidV8(namespaceUuid: string, name: string): string {
  return hashedUuid('sha256', 8, namespaceUuid, name);
}

export const systemIdentifiers: Identifiers = {
  uuidV7: () => uuidV7From(Date.now(), randomBytes(10)),
};

function hashedUuid(hash: string, version: number, namespaceUuid: string, name: string): string {
  const namespace = Buffer.from(namespaceUuid.replaceAll('-', ''), 'hex');
  const bytes = createHash(hash).update(namespace).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return formatUuid(bytes);
}

function formatUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}
