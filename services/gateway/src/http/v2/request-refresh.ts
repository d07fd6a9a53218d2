import { refreshPath } from '@inventory/contracts/http/refresh';
import type { RequestRefreshDeps } from '../../operations/request-refresh.ts';
import { requestRefreshEndpoint } from '../endpoints/refresh-endpoints.ts';
import { envelope } from '../envelope.ts';
import { defineRoute, type Route } from '../route.ts';
import { admitRefresh } from './admit-refresh.ts';

/** POST …/refresh: starts a complete collection in the background. */
export function requestRefreshRoute(deps: RequestRefreshDeps): Route {
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
