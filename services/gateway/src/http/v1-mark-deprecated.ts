import { targetOf } from '@inventory/http/request-target';
import type { PublicMiddleware } from './request-state.ts';
import { v1TargetOf } from './v1-dialect.ts';

/** Every V1 response has its deprecation date (RFC 9745) and its successor. */
export function markDeprecated(deprecatedAtMs: number): PublicMiddleware {
  const since = `@${Math.floor(deprecatedAtMs / 1000)}`;
  return async (context, next) => {
    const v1 = v1TargetOf(targetOf(context.req.url).path);
    if (v1 !== null) {
      context.state.v1 = v1.dialect;
      context.set({ Deprecation: since, Link: `<${v1.successor}>; rel="successor-version"` });
    }
    await next();
  };
}
