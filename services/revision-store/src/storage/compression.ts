import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';

const compress = promisify(zstdCompress);

/** Bytes as they are kept: compressed, with the size they have when they are not. */
export interface PackedBytes {
  readonly packed: Buffer;
  readonly rawBytes: number;
}

export async function pack(raw: Buffer): Promise<PackedBytes> {
  return { packed: await compress(raw), rawBytes: raw.length };
}

/**
 * The raw bytes. Into one buffer of the known size: with zlib's own growing buffers the same work
 * takes four times as long, and a thread of its own costs more than it saves.
 */
export function unpack({ packed, rawBytes }: PackedBytes): Buffer {
  if (rawBytes === 0) return Buffer.alloc(0);
  const outputBytes = Math.max(rawBytes, smallestOutputBytes);
  return zstdDecompressSync(packed, { chunkSize: outputBytes, maxOutputLength: outputBytes });
}

const smallestOutputBytes = 64;
