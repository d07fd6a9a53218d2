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

/** The fields of a bill in the headers of V1. */
export interface HeaderBill {
  readonly credits_charged?: number | undefined;
  readonly credits_remaining?: number | undefined;
  readonly units_charged?: number | undefined;
  readonly units_remaining?: number | undefined;
}

/** Headers of a response whose charge was decided; none otherwise. */
export function billHeaders(dialect: V1Dialect, bill: HeaderBill): Record<string, string> {
  const { credits_charged: charged, credits_remaining: remaining } = bill;
  if (charged === undefined || remaining === undefined) return {};
  const { units_charged: units, units_remaining: unitsRemaining } = bill;
  return {
    'X-Credits-Charged': String(charged),
    'X-Credits-Remaining': String(remaining),
    ...(dialect === 'original' ? { 'X-Api-Credits-Remaining': String(remaining) } : {}),
    ...(units === undefined ? {} : { 'X-Units-Charged': String(units) }),
    ...(unitsRemaining === undefined ? {} : { 'X-Units-Remaining': String(unitsRemaining) }),
  };
}
