import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

/** By content coding: a whole packed body, as a client reads it. Throws where it is no such body. */
export const unpackers = {
  br: (packed: Buffer): Buffer => brotliDecompressSync(packed),
  gzip: (packed: Buffer): Buffer => gunzipSync(packed),
  zstd: (packed: Buffer): Buffer => zstdDecompressSync(packed),
};
