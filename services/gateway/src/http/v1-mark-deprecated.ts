import { targetOf } from '@inventory/http/request-target';
import type { PublicMiddleware } from './request-state.ts';
import { type V1Target, v1TargetOf } from './v1-dialect.ts';

/** Headers of every V1 response: its deprecation date (RFC 9745) and its successor. */
export function deprecationHeaders({ successor }: V1Target, deprecatedAtMs: number) {
  return {
    Deprecation: `@${Math.floor(deprecatedAtMs / 1000)}`,
    Link: `<${successor}>; rel="successor-version"`,
  };
}

export function markDeprecated(deprecatedAtMs: number): PublicMiddleware {
  return async (context, next) => {
    const v1 = v1TargetOf(targetOf(context.req.url).path);
    if (v1 !== null) {
      context.state.v1 = v1.dialect;
      context.set(deprecationHeaders(v1, deprecatedAtMs));
    }
    await next();
  };
}
