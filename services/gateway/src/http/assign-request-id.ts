import type { RequestId } from '@inventory/contracts/ids';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { traceResponse } from '@inventory/runtime/tracing';
import { trace } from '@opentelemetry/api';
import type { PublicMiddleware } from './request-state.ts';

export function newRequestId(identifiers: Identifiers): RequestId {
  return `req_${identifiers.uuidV7()}`;
}

/** Headers of every response. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000',
} as const;

/**
 * Every response carries its request id, and its trace where there is one; ids sent by clients are
 * ignored.
 */
export function assignRequestId(identifiers: Identifiers): PublicMiddleware {
  return async (context, next) => {
    context.state.requestId = newRequestId(identifiers);
    context.set({ 'X-Request-ID': context.state.requestId, ...commonHeaders });
    trace.getActiveSpan()?.setAttribute('inventory.request_id', context.state.requestId);
    const response = traceResponse();
    if (response !== undefined) context.set('traceresponse', response);
    await next();
  };
}
