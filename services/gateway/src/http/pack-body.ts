import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const packGzip = promisify(gzip);
const packBrotli = promisify(brotliCompress);

export type Encoding = 'br' | 'gzip';
export type Packers = Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>>;

/** Low compression levels: a page of 1.5 MB must not cost more to compress than to read. */
export const packers: Packers = {
  br: (body) =>
    packBrotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 1,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => packGzip(body, { level: 1 }),
};
