import { idempotencyKey } from '@inventory/contracts/http/parameters';
import { refreshLink } from '@inventory/contracts/http/refresh';
import {
  batchBytesMax,
  type RefreshBatchItem,
  type RefreshBatchResult,
  refreshBatchBody,
  refreshBatchItem,
  refreshBatchMeta,
  refreshBatchResults,
} from '@inventory/contracts/http/refresh-batch';
import { retryAfterOf } from '@inventory/contracts/refusal';
import type { PublicRefusal } from '@inventory/contracts/refusal-codes';
import { itemRefusal, type ReadItem, readBatchItem, refusedItem } from '../http/batch-items.ts';
import { rateLimitHeaders, takeBatch } from '../http/limits/limit-rate.ts';
import {
  acceptanceTermsExample,
  errorExample,
  exampleIds,
  exampleRateLimit,
  exampleScope,
  plainMetaExample,
  queuedRecord,
} from '../http/openapi/examples.ts';
import { refreshLinks } from '../http/openapi/links.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { publicRoute } from '../http/public-route.ts';
import { batchConcurrencyMax, runItems } from '../http/run-batch.ts';
import { admitRefresh } from './admit-refresh.ts';
import type { RefreshServices } from './open-refreshes.ts';
import { type AdmittedRefresh, refreshProduct } from './refresh-response.ts';

/** POST …/inventory-refreshes/batch: many refreshes, each admitted on its own. */
export const requestRefreshesRoute = publicRoute({
  operationId: 'requestRefreshes',
  tag: 'Refreshes',
  summary: 'Batch refresh',
  description:
    'Starts up to 100 refreshes, each admitted on its own as by Refresh and with a result of its ' +
    'own, in the order of the request; an invalid item is refused alone. Counts one request per ' +
    'item against the rate limit, all or none.',
  method: 'POST',
  template: '/v2/platform/inventory-refreshes/batch',
  permission: refreshProduct,
  product: refreshProduct,
  input: { body: refreshBatchBody },
  bodyBytesMax: batchBytesMax,
  bodyExample: {
    items: [
      { ...exampleScope, max_credits: 125, idempotency_key: 'order-4711' },
      { ...exampleScope, context_id: 6, max_credits: 125, idempotency_key: 'order-4712' },
    ],
  },
  response: {
    status: 200,
    description: 'A result or an error for each item.',
    links: refreshLinks('/data/items/0/data'),
    body: { data: refreshBatchResults, meta: refreshBatchMeta },
    example: {
      success: true,
      data: {
        items: [
          {
            idempotency_key: 'order-4711',
            retry_after_seconds: 1,
            result: 'accepted',
            success: true,
            status: 202,
            location: refreshLink(exampleIds.refresh),
            idempotency_replayed: false,
            data: queuedRecord,
            meta: acceptanceTermsExample,
          },
          {
            idempotency_key: 'order-4712',
            retry_after_seconds: null,
            result: 'refused',
            success: false,
            status: 402,
            error: batchError(),
          },
        ],
      },
      meta: { ...plainMetaExample, product_code: refreshProduct, rate_limit: exampleRateLimit },
    },
  },
  errors: [],
  async handle(services: RefreshServices, { body }, request) {
    const rateLimit = await takeBatch(services.limiter, request, body.items);
    const items = await runItems(body.items.map(readItem.bind(null, request)), {
      keyOf: ({ key }) => key,
      concurrencyMax: batchConcurrencyMax,
      beginWithinMs: services.deadlines.batchMs,
      run: (entry) => admitItem(services, request, entry),
      late: ({ key }) =>
        toRefusedItem(key, { code: 'service_unavailable', retry_after_seconds: 1 }),
    });
    return {
      headers: rateLimitHeaders(rateLimit),
      data: { items },
      meta: { requestId: request.requestId, productCode: refreshProduct, rateLimit },
    };
  },
});

function batchError() {
  const { request_id: _, ...error } = errorExample('insufficient_credits');
  return error;
}

interface BatchEntry {
  /** Empty where the item has none. */
  readonly key: string;
  readonly read: ReadItem<RefreshBatchItem>;
}

/** An item of the request, or why it is none. */
function readItem(request: AdmittedRequest, value: unknown, index: number): BatchEntry {
  const read = readBatchItem(refreshBatchItem, value, index, request);
  const key = idempotencyKey.safeParse(Object(value).idempotency_key);
  return { key: key.data ?? '', read };
}

async function admitItem(
  services: RefreshServices,
  request: AdmittedRequest,
  { key, read }: BatchEntry,
): Promise<RefreshBatchResult> {
  if (read.result === 'refused') return toRefusedItem(key, read.refusal);
  const { platform_id, app_id, context_id, maxAgeSeconds = null, ...wanted } = read.item;
  const scope = { platform_id, app_id, context_id };
  try {
    const admitted = await admitRefresh(services, request, { ...wanted, scope, maxAgeSeconds });
    return toAccepted(key, admitted);
  } catch (error) {
    return toRefusedItem(key, itemRefusal(error, request, services.logger));
  }
}

function toAccepted(idempotencyKey: string, admitted: AdmittedRefresh): RefreshBatchResult {
  const { status, record, meta, retryAfterSeconds, isReplay } = admitted;
  return {
    idempotencyKey,
    result: 'accepted',
    success: true,
    status,
    location: refreshLink(record.refreshId),
    idempotencyReplayed: isReplay,
    retryAfterSeconds,
    data: record,
    meta,
  };
}

function toRefusedItem(key: string, refusal: PublicRefusal): RefreshBatchResult {
  return {
    idempotencyKey: key,
    retryAfterSeconds: retryAfterOf(refusal),
    ...refusedItem(refusal),
  };
}
