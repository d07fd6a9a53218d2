import {
  constants,
  createZstdCompress,
  type ZstdOptions,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { freeBytes } from './free-bytes.ts';

/** Packed bytes that one tick of the event loop takes from a thread of zlib. */
const packedChunkBytes = 256 * 1024;

/** Packing so few takes less time than handing them to a thread. */
const packedHereBytesMax = 16 * 1024;

/** Bytes as they are kept: compressed, with the size they have when they are not. */
export interface PackedBytes {
  readonly packed: Buffer;
  readonly rawBytes: number;
}

/** With a checksum, which is compared when it is unpacked. */
export async function pack(raw: Buffer): Promise<PackedBytes> {
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  const options = { chunkSize: chunkOf(raw), pledgedSrcSize: raw.length, params };
  const isSmall = raw.length <= packedHereBytesMax;
  const packed = isSmall ? zstdCompressSync(raw, options) : await compress(raw, options);
  return { packed, rawBytes: raw.length };
}

/** On a thread, into buffers of zlib that are freed: they are several times as large as what is in them. */
async function compress(raw: Buffer, options: ZstdOptions): Promise<Buffer> {
  const parts: Buffer[] = await createZstdCompress(options).end(raw).toArray();
  const packed = Buffer.concat(parts);
  for (const filled of new Set(parts.map(({ buffer }) => buffer)))
    freeBytes(new Uint8Array(filled));
  return packed;
}

/** Writes bytes packed, as they are or after packing them; what was packed here is freed then. */
export async function writePacked(
  bytes: Buffer | PackedBytes,
  write: (packed: PackedBytes) => Promise<unknown>,
): Promise<void> {
  if (!Buffer.isBuffer(bytes)) return void (await write(bytes));
  const packed = await pack(bytes);
  await write(packed);
  freePacked(packed);
}

/** Frees what {@link pack} returned, with the remainder of the buffer that it lies in. */
export function freePacked({ packed }: PackedBytes): void {
  freeBytes(Buffer.from(packed.buffer));
}

export function asRaw(bytes: Buffer | PackedBytes): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : unpack(bytes);
}

/** Small texts get no buffer larger than they are. */
function chunkOf(raw: Buffer): number {
  return Math.max(smallestOutputBytes, Math.min(raw.length, packedChunkBytes));
}

/**
 * The raw bytes. Into one buffer of the known size: with zlib's own growing buffers the same work
 * takes four times as long, and a thread of its own costs more than it saves. A byte is left over:
 * when its buffer is full, zlib takes another one as large.
 */
export function unpack({ packed, rawBytes }: PackedBytes): Buffer {
  if (rawBytes === 0) return Buffer.alloc(0);
  const maxOutputLength = Math.max(rawBytes, smallestOutputBytes);
  return zstdDecompressSync(packed, { chunkSize: maxOutputLength + 1, maxOutputLength });
}

const smallestOutputBytes = 64;
