import type { Billing } from '@inventory/contracts/http/error-body';
import { targetOf } from '@inventory/http/request-target';
import type { Middleware } from 'koa';
import { type V1Dialect, type V1Target, v1TargetOf } from './v1-dialect.ts';

/** Headers of every V1 response: its deprecation date (RFC 9745) and its successor. */
function deprecationHeaders({ successor }: V1Target, deprecatedAtMs: number) {
  return {
    Deprecation: `@${Math.floor(deprecatedAtMs / 1000)}`,
    Link: `<${successor}>; rel="successor-version"`,
  };
}

export function markDeprecated(deprecatedAtMs: number): Middleware {
  return async (context, next) => {
    const v1 = v1TargetOf(targetOf(context.req.url).path);
    if (v1 !== null) context.set(deprecationHeaders(v1, deprecatedAtMs));
    await next();
  };
}

/** Headers of a response whose charge was decided; none otherwise. */
export function billHeaders(dialect: V1Dialect, bill: Billing): Record<string, string> {
  const { creditsCharged, creditsRemaining, unitsCharged, unitsRemaining } = bill;
  if (creditsCharged === undefined || creditsRemaining === undefined) return {};
  const remaining = String(creditsRemaining);
  return {
    'X-Credits-Charged': String(creditsCharged),
    'X-Credits-Remaining': remaining,
    ...(dialect === 'original' && { 'X-Api-Credits-Remaining': remaining }),
    ...(unitsCharged === undefined ? {} : { 'X-Units-Charged': String(unitsCharged) }),
    ...(unitsRemaining === undefined ? {} : { 'X-Units-Remaining': String(unitsRemaining) }),
  };
}
