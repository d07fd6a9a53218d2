import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  constants,
  gunzip,
  inflate,
  inflateRaw,
  zstdDecompress,
} from 'node:zlib';

/** The codings that are requested; the platform compresses at times without a request. */
export const acceptedCodings = 'gzip, br, zstd';

/** Stacked codings of one response at most. */
const codingsMax = 4;
/** The largest window that a sender may use (RFC 9659), hence the memory of a decoder. */
const zstdWindowLogMax = 23;

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const gzip: Decoder = promisify<Buffer, object, Buffer>(gunzip);
const zlibDeflate: Decoder = promisify<Buffer, object, Buffer>(inflate);
const rawDeflate: Decoder = promisify<Buffer, object, Buffer>(inflateRaw);
const zstd = promisify<Buffer, object, Buffer>(zstdDecompress);

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['br', promisify<Buffer, object, Buffer>(brotliDecompress)],
  // Senders disagree whether "deflate" has the header of zlib.
  ['deflate', (body, options) => (hasZlibHeader(body) ? zlibDeflate : rawDeflate)(body, options)],
  [
    'zstd',
    (body, options) =>
      zstd(body, { ...options, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } }),
  ],
]);

type Decoded = Buffer | 'too_large' | 'undecodable';

/**
 * The text of a body in UTF-8, its content codings undone; invalid bytes become U+FFFD.
 * `too_large` as soon as it exceeds the limit; `undecodable` for a coding that is unknown, or that
 * the bytes are not.
 */
export async function decodeBody(
  body: Buffer,
  contentEncoding: string,
  bytesMax: number,
): Promise<Decoded> {
  const decoded = await undoCodings(body, contentEncoding, bytesMax);
  if (!Buffer.isBuffer(decoded) || isUtf8(decoded)) return decoded;
  const text = Buffer.from(decoded.toString());
  return text.length > bytesMax ? 'too_large' : text;
}

async function undoCodings(
  body: Buffer,
  contentEncoding: string,
  bytesMax: number,
): Promise<Decoded> {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > codingsMax) return 'undecodable';
  let decoded = body;
  for (const coding of codings.reverse()) {
    const decode = decoders.get(coding);
    if (!decode) return 'undecodable';
    // An empty body has no coding, whatever its header names.
    if (decoded.length === 0) continue;
    try {
      decoded = await decode(decoded, { maxOutputLength: bytesMax });
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      return code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'undecodable';
    }
  }
  return decoded;
}

/** A raw stream never begins like this: its first block would be stored, with padding. */
function hasZlibHeader(body: Buffer): boolean {
  return ((body[0] ?? 0) & 0x0f) === 8;
}
