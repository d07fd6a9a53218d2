import { refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import { idempotencyKey, scopePath } from '@inventory/contracts/http/parameters';
import { refreshLink, refreshRecord, refreshRequestBody } from '@inventory/contracts/http/refresh';
import { z } from 'zod';
import {
  acceptanceTermsExample,
  exampleRateLimit,
  plainMetaExample,
  queuedRecord,
  savedRecord,
  savedTermsExample,
} from '../http/openapi/examples.ts';
import { refreshLinks } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import { admitRefresh } from './admit-refresh.ts';
import type { RefreshServices } from './open-refreshes.ts';
import { refreshProduct, retryAfterHeader, retryAfterText } from './refresh-response.ts';

/** POST …/refresh: starts a complete collection in the background. */
export const requestRefreshRoute = publicRoute({
  operationId: 'requestRefresh',
  tag: 'Refreshes',
  summary: 'Refresh',
  description:
    'Starts a complete collection in the background and reserves credits. With an ' +
    '`Idempotency-Key` the same request can be sent again: it finds the refresh of the first. With ' +
    '`max_age_seconds` an observation that is saved and young enough completes it at once: nothing is ' +
    'held or charged, and the event is sent as ever. It takes the permission of Current; without ' +
    'that permission the platform is scanned.',
  method: 'POST',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/refresh',
  permission: refreshProduct,
  product: refreshProduct,
  countedBeside: true,
  input: {
    path: scopePath,
    header: z.object({
      'Idempotency-Key': idempotencyKey
        .optional()
        .describe('Kept as long as the refresh: for 30 days after it is completed.'),
    }),
    body: refreshRequestBody,
  },
  bodyExample: { max_credits: 125, language: 'english' },
  response: {
    status: 202,
    description: 'Accepted: the refresh is queued and its credits are held.',
    body: { data: refreshRecord, meta: refreshAcceptanceMeta },
    example: {
      success: true,
      data: queuedRecord,
      meta: { ...plainMetaExample, ...acceptanceTermsExample, rate_limit: exampleRateLimit },
    },
    links: refreshLinks('/data'),
    headers: {
      Location: 'Relative address of the refresh.',
      'Retry-After': retryAfterText,
      'Idempotency-Replayed': '`true` where the key had been used before.',
    },
    also: {
      status: 200,
      description: 'Completed from what is saved, free.',
      example: {
        success: true,
        data: savedRecord,
        meta: { ...plainMetaExample, ...savedTermsExample, rate_limit: exampleRateLimit },
      },
      headers: {
        Location: 'Relative address of the refresh.',
        'Idempotency-Replayed': '`true` where the key had been used before.',
      },
    },
  },
  errors: [
    'max_credits_too_low',
    'insufficient_credits',
    'insufficient_units',
    'spend_cap_reached',
    'idempotency_conflict',
    'idempotency_in_progress',
    'outstanding_limit_exceeded',
    'product_unavailable',
  ],
  async handle(services: RefreshServices, { path, header, body }, request) {
    await request.counted;
    const { status, record, meta, retryAfterSeconds, isReplay } = await admitRefresh(
      services,
      request,
      {
        ...body,
        scope: path,
        maxAgeSeconds: body.maxAgeSeconds ?? null,
        idempotencyKey: header['Idempotency-Key'] ?? null,
      },
    );
    return {
      status,
      headers: {
        Location: refreshLink(record.refreshId),
        ...retryAfterHeader(retryAfterSeconds),
        ...(isReplay ? { 'Idempotency-Replayed': 'true' } : {}),
      },
      data: record,
      meta: { requestId: request.requestId, ...meta, rateLimit: request.rateLimit },
    };
  },
});
