import { createHash } from 'node:crypto';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import { packWhole } from '@inventory/http/packed-body';
import { Refused } from '@inventory/http/refused';
import { targetOf } from '@inventory/http/request-target';
import { acceptedCoding } from './negotiate-content.ts';
import type { PublicMiddleware } from './request-state.ts';

/** A page that is the same for every client: no key is required, no request is counted. */
export interface PublicPage {
  readonly type: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** By path. */
export type PublicPages = Readonly<Record<string, PublicPage>>;

export const referencePath = '/docs';
export const documentPath = '/openapi.json';
export const llmsPath = '/llms.txt';
export const consolePath = '/console';
const cacheControl = 'public, max-age=3600';

interface Representation {
  readonly body: Buffer;
  readonly etag: string;
}

/**
 * Serves the document and the reference of the API; `/` leads to the reference. Each is compressed once, at its first request in
 * an encoding: a page of 1.5 MB must not cost that for each anonymous client.
 */
export function servePages(pages: PublicPages, pack = packWhole): PublicMiddleware {
  const byPath = new Map(
    Object.entries(pages).map(([path, page]) => [
      path,
      { page, representOnce: onceEach(page, pack) },
    ]),
  );
  const startPage = [referencePath, documentPath].find((path) => byPath.has(path));
  return async (context, next) => {
    const { path } = targetOf(context.req.url);
    if (path === '/' && startPage !== undefined) {
      context.set('Cache-Control', cacheControl);
      context.redirect(startPage);
      return;
    }
    const found = byPath.get(path) ?? byPath.get(path.replace(/\/$/, ''));
    if (found === undefined) return await next();
    if (context.method !== 'GET' && context.method !== 'HEAD') {
      throw new Refused({ code: 'method_not_allowed' }, { headers: { Allow: 'GET, HEAD' } });
    }
    const encoding = acceptedCoding(context) ?? 'identity';
    const { body, etag } = await found.representOnce(encoding);
    context.vary('Accept-Encoding');
    context.set({ 'Cache-Control': cacheControl, ...found.page.headers, ETag: etag });
    context.status = 200;
    if (context.fresh) {
      context.status = 304;
      return;
    }
    if (encoding !== 'identity') context.set('Content-Encoding', encoding);
    context.type = found.page.type;
    context.body = body;
  };
}

function onceEach(page: PublicPage, pack: typeof packWhole) {
  const made = new Map<ContentCoding | 'identity', Promise<Representation>>();
  return (encoding: ContentCoding | 'identity'): Promise<Representation> => {
    const known = made.get(encoding) ?? represent(page, encoding, pack);
    made.set(encoding, known);
    return known;
  };
}

async function represent(
  { body }: PublicPage,
  encoding: ContentCoding | 'identity',
  pack: typeof packWhole,
): Promise<Representation> {
  const bytes = encoding === 'identity' ? body : await pack[encoding](body);
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { body: bytes, etag: `"${digest}"` };
}
