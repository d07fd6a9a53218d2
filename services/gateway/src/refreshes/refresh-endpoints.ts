import { plainMeta, refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import {
  idempotencyKey,
  projectPath,
  refreshIdPath,
  scopePath,
} from '@inventory/contracts/http/parameters';
import {
  refreshesQuery,
  refreshPage,
  refreshPath,
  refreshQuery,
  refreshRecord,
  refreshRequestBody,
  refreshStatus,
} from '@inventory/contracts/http/refresh';
import {
  batchBytesMax,
  refreshBatchBody,
  refreshBatchMeta,
  refreshBatchResults,
} from '@inventory/contracts/http/refresh-batch';
import { z } from 'zod';
import { defineEndpoint } from '../http/endpoint.ts';
import {
  acceptanceTermsExample,
  completedRecord,
  errorExample,
  exampleCursor,
  exampleIds,
  exampleRateLimit,
  exampleScope,
  plainMetaExample,
  queuedRecord,
} from '../http/openapi/examples.ts';

const product = 'platform.inventory.refresh.v1';
const tag = 'Refreshes';
const retryAfter = 'Seconds until the next look is worthwhile; absent once terminal.';

export const requestRefreshEndpoint = defineEndpoint({
  operationId: 'requestRefresh',
  tag,
  summary: 'Refresh',
  description:
    'Starts a complete collection in the background and reserves credits. With an ' +
    '`Idempotency-Key` the same request can be sent again: it finds the refresh of the first.',
  method: 'POST',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/refresh',
  permission: product,
  product,
  input: {
    path: scopePath,
    header: z.object({ 'Idempotency-Key': idempotencyKey.optional() }),
    body: refreshRequestBody,
  },
  bodyExample: { max_credits: 125, language: 'english' },
  answer: {
    status: 202,
    description: 'Accepted: the refresh is queued and its credits are held.',
    body: { data: refreshRecord, meta: refreshAcceptanceMeta },
    example: {
      success: true,
      data: queuedRecord,
      meta: { ...plainMetaExample, ...acceptanceTermsExample, rate_limit: exampleRateLimit },
    },
    headers: {
      Location: 'Relative address of the refresh.',
      'Retry-After': retryAfter,
      'Idempotency-Replayed': '`true` where the key had been used before.',
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
});

export const requestRefreshesEndpoint = defineEndpoint({
  operationId: 'requestRefreshes',
  tag,
  summary: 'Batch refresh',
  description:
    'Starts up to 100 refreshes, each admitted on its own as by Refresh and with a result of its ' +
    'own, in the order of the request. Counts one request per item against the rate limit, all ' +
    'or none.',
  method: 'POST',
  template: '/v2/platform/inventory-refreshes/batch',
  permission: product,
  product,
  input: { path: z.object({}), body: refreshBatchBody },
  bodyBytesMax: batchBytesMax,
  bodyExample: {
    items: [
      { ...exampleScope, max_credits: 125, idempotency_key: 'order-4711' },
      { ...exampleScope, context_id: 6, max_credits: 125, idempotency_key: 'order-4712' },
    ],
  },
  answer: {
    status: 200,
    description: 'A result or an error for each item.',
    body: { data: refreshBatchResults, meta: refreshBatchMeta },
    example: {
      success: true,
      data: {
        items: [
          {
            idempotency_key: 'order-4711',
            retry_after_seconds: 1,
            success: true,
            status: 202,
            location: refreshPath(exampleIds.refresh),
            idempotency_replayed: false,
            data: queuedRecord,
            meta: acceptanceTermsExample,
          },
          {
            idempotency_key: 'order-4712',
            retry_after_seconds: null,
            success: false,
            status: 402,
            error: batchError(),
          },
        ],
      },
      meta: { ...plainMetaExample, product_code: product, rate_limit: exampleRateLimit },
    },
  },
  errors: [],
});

function batchError() {
  const { request_id: _, ...error } = errorExample('insufficient_credits');
  return error;
}

export const readRefreshEndpoint = defineEndpoint({
  operationId: 'readRefresh',
  tag,
  summary: 'Refresh status',
  description:
    'Costs nothing and counts against the rate limit. With `wait` it answers when the refresh is ' +
    'terminal or the time is over, whichever is first. `expected_completed_at` is an estimate by ' +
    'the pages that wait and the pages a minute that can be read; it is null when unknown ' +
    'and absent once the refresh is terminal. Readable by any active Credential of the Project.',
  method: 'GET',
  template: '/v2/platform/inventory-refreshes/{refresh_id}',
  input: { path: refreshIdPath, query: refreshQuery },
  answer: {
    status: 200,
    description: 'The refresh as it is now.',
    body: { data: refreshStatus, meta: plainMeta },
    example: {
      success: true,
      data: { ...queuedRecord, expected_completed_at: '2026-01-15T10:00:20.000Z' },
      meta: plainMetaExample,
    },
    headers: { 'Retry-After': retryAfter },
  },
  errors: ['refresh_not_found'],
});

export const cancelRefreshEndpoint = defineEndpoint({
  operationId: 'cancelRefresh',
  tag,
  summary: 'Cancel a refresh',
  description:
    'Free, repeatable. Once everything is collected the outcome may still be a complete one.',
  method: 'POST',
  template: '/v2/platform/inventory-refreshes/{refresh_id}/cancel',
  permission: product,
  input: { path: refreshIdPath },
  answer: {
    status: 202,
    description: 'The cancel is under way.',
    body: { data: refreshRecord, meta: plainMeta },
    example: {
      success: true,
      data: { ...queuedRecord, state: 'settling' },
      meta: plainMetaExample,
    },
    headers: { 'Retry-After': retryAfter },
  },
  errors: ['refresh_not_found', 'refresh_already_completed'],
});

export const listRefreshesEndpoint = defineEndpoint({
  operationId: 'listRefreshes',
  tag,
  summary: 'Refreshes of a Project',
  description: 'Newest first: the recovery path beside events.',
  method: 'GET',
  template: '/v2/projects/{project_id}/inventory-refreshes',
  input: { path: projectPath, query: refreshesQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
    body: { data: refreshPage, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [completedRecord],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'invalid_cursor'],
});
