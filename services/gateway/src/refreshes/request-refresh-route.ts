import { refreshPath } from '@inventory/contracts/http/refresh';
import { envelope } from '../http/envelope.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { type AdmitRefreshDeps, admitRefresh } from './admit-refresh.ts';
import { requestRefreshEndpoint } from './refresh-endpoints.ts';

/** POST …/refresh: starts a complete collection in the background. */
export function requestRefreshRoute(deps: AdmitRefreshDeps): Route {
  return defineRoute({
    ...requestRefreshEndpoint,
    async handle(request, { path, header, body }) {
      const { record, meta, retryAfterSeconds, isReplay } = await admitRefresh(deps, request, {
        scope: path,
        language: body.language,
        maxCredits: body.max_credits,
        idempotencyKey: header['Idempotency-Key'] ?? null,
      });
      return {
        status: 202,
        headers: {
          Location: refreshPath(record.refresh_id),
          ...(retryAfterSeconds === null ? {} : { 'Retry-After': String(retryAfterSeconds) }),
          ...(isReplay ? { 'Idempotency-Replayed': 'true' } : {}),
        },
        body: envelope(record, {
          request_id: request.requestId,
          ...meta,
          rate_limit: request.rateLimit,
        }),
      };
    },
  });
}
