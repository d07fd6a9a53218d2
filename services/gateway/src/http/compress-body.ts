import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { PublicMiddleware } from './request-state.ts';

const bytesMin = 1024;

const packGzip = promisify(gzip);
const packBrotli = promisify(brotliCompress);

/** Low compression levels: a page of 1.5 MB must not cost more to compress than to read. */
const compressors = {
  br: (body: Buffer) =>
    packBrotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 1,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body: Buffer) => packGzip(body, { level: 1 }),
} as const;

/**
 * Compresses a body as a whole, not as a stream: a charged page may be written only when all its
 * bytes are available.
 */
export function compressBody(): PublicMiddleware {
  return async (context, next) => {
    await next();
    context.vary('Accept-Encoding');
    const { body } = context;
    if (!Buffer.isBuffer(body) || body.length < bytesMin) return;
    const encoding = context.acceptsEncodings('br', 'gzip', 'identity');
    if (encoding !== 'br' && encoding !== 'gzip') return;
    context.body = await compressors[encoding](body);
    context.set('Content-Encoding', encoding);
  };
}
