import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  crc32,
  deflateRaw,
  gzip,
  type InputType,
  zstdCompress,
} from 'node:zlib';
import type { ContentCoding } from '@inventory/contracts/vocabulary';

/** What the end of a body is packed by. */
interface PackedHead {
  readonly coding: ContentCoding;
  /** Size of what is packed. */
  readonly rawBytes: number;
  /** Of what is packed; 0 where the coding has no checksum. */
  readonly crc32: number;
}

/** The packed beginning of a body; what follows is appended to it without packing it again. */
export interface PackedBeginning extends PackedHead {
  readonly bytes: Buffer;
}

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
const packBrotli = promisify<InputType, object, Buffer>(brotliCompress);
const packGzip = promisify<InputType, object, Buffer>(gzip);
const packDeflate = promisify<InputType, object, Buffer>(deflateRaw);
const packZstd = promisify<InputType, object, Buffer>(zstdCompress);

const brotliOf = (raw: Buffer, quality: number) => ({
  params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: raw.length },
});

/** A whole body, packed for one response: a page of 1.5 MB must not cost more to pack than to read. */
export const packWhole: Readonly<Record<ContentCoding, (raw: Buffer) => Promise<Buffer>>> = {
  br: (raw) => packBrotli(raw, brotliOf(raw, 1)),
  gzip: (raw) => packGzip(raw, { level: 1 }),
  zstd: (raw) => packZstd(raw, {}),
};

/** RFC 1952: deflated, without flags and time, of an unknown system. */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** Flushed to a whole byte and not ended, so that more can follow; packed well, as it is kept. */
const packFlushed: Readonly<Record<ContentCoding, (raw: Buffer) => Promise<Buffer>>> = {
  br: (raw) =>
    packBrotli(raw, { ...brotliOf(raw, 5), finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: async (raw) => {
    const deflated = await packDeflate(raw, { level: 6, finishFlush: constants.Z_SYNC_FLUSH });
    return Buffer.concat([gzipHeader, deflated]);
  },
  zstd: (raw) => packZstd(raw, { finishFlush: constants.ZSTD_e_flush }),
};

/** Of at least one byte. */
export async function packBeginning(coding: ContentCoding, raw: Buffer): Promise<PackedBeginning> {
  const bytes = await packFlushed[coding](raw);
  return {
    coding,
    bytes,
    rawBytes: raw.length,
    crc32: coding === 'gzip' ? crc32(raw) : 0,
  };
}

/** What one block takes unpacked in every coding. */
const endBytesMax = 65_535;

/**
 * The packed end of a body, at most 64 KiB, that follows a beginning: one block that is not
 * compressed, and the end of the stream. It is one gzip member, one zstd frame: some clients do not
 * read a second one.
 */
export function packEnd(beginning: PackedHead, end: Buffer): Buffer {
  if (end.length === 0 || end.length > endBytesMax) throw new RangeError('no end of a body');
  return packEnds[beginning.coding](end, beginning);
}

const packEnds: Record<ContentCoding, (end: Buffer, beginning: PackedHead) => Buffer> = {
  /** RFC 7932, 9.2: not the last meta-block, 4 nibbles of length - 1, uncompressed; then the last, empty one. */
  br: (end) => {
    const header = Buffer.alloc(3);
    header.writeUIntLE(((end.length - 1) << 3) | (1 << 19), 0, 3);
    return Buffer.concat([header, end, Buffer.of(3)]);
  },
  /** RFC 1951, 3.2.4: the last block, stored; RFC 1952: checksum and size of the whole. */
  gzip: (end, { crc32: before, rawBytes }) => {
    const header = Buffer.alloc(5);
    header.writeUInt8(1, 0);
    header.writeUInt16LE(end.length, 1);
    header.writeUInt16LE(~end.length & 0xffff, 3);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc32(end, before), 0);
    trailer.writeUInt32LE((rawBytes + end.length) % 2 ** 32, 4);
    return Buffer.concat([header, end, trailer]);
  },
  /** RFC 8878, 3.1.1.2: the last block, raw. */
  zstd: (end) => {
    const header = Buffer.alloc(3);
    header.writeUIntLE(1 | (end.length << 3), 0, 3);
    return Buffer.concat([header, end]);
  },
};
