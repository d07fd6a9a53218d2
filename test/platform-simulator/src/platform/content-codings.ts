import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';

/** Forms of compression; `raw-deflate` is what some servers send as `deflate`. */
export const codings = ['gzip', 'x-gzip', 'br', 'deflate', 'raw-deflate', 'zstd'] as const;
export type Coding = (typeof codings)[number];

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const encoders: Readonly<Record<Coding, (body: Buffer) => Buffer>> = {
  gzip: (body) => gzipSync(body),
  'x-gzip': (body) => gzipSync(body),
  br: (body) => brotliCompressSync(body, fast),
  deflate: (body) => deflateSync(body),
  'raw-deflate': (body) => deflateRawSync(body),
  zstd: (body) => zstdCompressSync(body),
};

/** The body with these codings, in the order of their application. */
export function encode(body: Buffer, applied: readonly Coding[]): Buffer {
  return applied.reduce((encoded, coding) => encoders[coding](encoded), body);
}

/** The header of such a body. */
export function contentEncoding(applied: readonly Coding[]): string {
  return applied.map((coding) => (coding === 'raw-deflate' ? 'deflate' : coding)).join(', ');
}
