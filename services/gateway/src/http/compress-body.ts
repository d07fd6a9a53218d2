import { packers } from './pack-body.ts';
import type { PublicMiddleware } from './request-state.ts';

const bytesMin = 1024;

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
    context.body = await packers[encoding](body);
    context.set('Content-Encoding', encoding);
  };
}
