import { type ContentCoding, contentCodings } from '@inventory/contracts/vocabulary';
import { bytesOf, joined } from '@inventory/http/byte-parts';
import { acceptedType } from '@inventory/http/media-type';
import { packWhole } from '@inventory/http/packed-body';
import { Refused } from '@inventory/http/refused';
import { type PublicContext, type PublicMiddleware, required } from './request-state.ts';

const bytesMin = 1024;

/** The content coding that the client prefers of ours; null where it wants none. */
export function acceptedCoding(context: PublicContext): ContentCoding | null {
  const accepted = context.acceptsEncodings(...contentCodings, 'identity');
  return contentCodings.find((coding) => coding === accepted) ?? null;
}

/**
 * Compresses a body as a whole, not as a stream: a charged page may be written only when all its
 * bytes are available. A page that was packed when it was saved stays as it is.
 */
export function compressBody(): PublicMiddleware {
  return async (context, next) => {
    await next();
    context.vary('Accept-Encoding');
    const { body, res, state } = context;
    const parts = state.parts ?? (Buffer.isBuffer(body) ? [body] : []);
    if (bytesOf(parts) < bytesMin || res.hasHeader('Content-Encoding')) return;
    const coding = acceptedCoding(context);
    if (coding === null) return;
    delete state.parts;
    context.body = await packWhole[coding](joined(parts));
    context.set('Content-Encoding', coding);
  };
}

/** Refuses a request that accepts no media type of the route, before anything is done. */
export function negotiateType(): PublicMiddleware {
  return async (context, next) => {
    const { types = ['application/json'] } = required(context.state, 'route');
    const accepted = acceptedType(context, types);
    if (accepted === false) throw new Refused({ code: 'not_acceptable' });
    context.state.type = accepted;
    if (types.length > 1) context.vary('Accept');
    await next();
  };
}
