import { idempotencyKey, scopePath } from '@inventory/contracts/http/parameters';
import { refreshPath, refreshRequestBody } from '@inventory/contracts/http/refresh';
import { z } from 'zod';
import type { RequestRefreshDeps } from '../../operations/request-refresh.ts';
import { envelope } from '../envelope.ts';
import { defineRoute, type Route } from '../route.ts';
import { admitRefresh, refreshProduct } from './admit-refresh.ts';

/** POST …/refresh: starts a complete collection in the background. */
export function requestRefreshRoute(deps: RequestRefreshDeps): Route {
  return defineRoute({
    method: 'POST',
    template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/refresh',
    permission: refreshProduct,
    product: refreshProduct,
    input: {
      path: scopePath,
      header: z.object({ 'Idempotency-Key': idempotencyKey.optional() }),
      body: refreshRequestBody,
    },
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
