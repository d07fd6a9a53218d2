import { Refused } from '@inventory/http/refused';
import { targetOf } from '@inventory/http/request-target';
import type { PublicMiddleware } from './request-state.ts';

/** A page that is the same for every client: no key is required, no request is counted. */
export interface PublicPage {
  readonly type: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** By path. */
export type PublicPages = Readonly<Record<string, PublicPage>>;

/** Serves the document and the reference of the API. */
export function servePages(pages: PublicPages): PublicMiddleware {
  const byPath = new Map(Object.entries(pages));
  return async (context, next) => {
    const page = byPath.get(targetOf(context.req.url).path);
    if (page === undefined) return await next();
    if (context.method !== 'GET')
      throw new Refused({ code: 'method_not_allowed' }, { headers: { Allow: 'GET' } });
    context.set({ ...page.headers });
    context.type = page.type;
    context.body = page.body;
  };
}
