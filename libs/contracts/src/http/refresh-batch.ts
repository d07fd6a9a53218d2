import { z } from 'zod';
import { requestId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { defaultLanguage, language } from '../languages.ts';
import { productCode } from '../vocabulary.ts';
import { itemError } from './error-body.ts';
import { rateLimit, refreshAcceptanceMeta } from './meta.ts';
import { batchItems, idempotencyKey } from './parameters.ts';
import { maxAgeSeconds, maxCredits, maxCreditsMin, refreshRecord } from './refresh.ts';

/** Refreshes of one batch at most. */
export const batchItemsMax = 100;
/** Largest body of a batch. */
export const batchBytesMax = 64 * 1024;

/** One refresh of a batch; too low a `max_credits` is refused for that item alone. */
export const refreshBatchItem = z.strictObject({
  ...inventoryKey.shape,
  language: language.default(defaultLanguage),
  max_credits: maxCredits.meta({ minimum: maxCreditsMin }),
  max_age_seconds: maxAgeSeconds,
  idempotency_key: idempotencyKey,
});
export type RefreshBatchItem = z.infer<typeof refreshBatchItem>;

/** Body of POST Batch. Each item is validated on its own: an invalid one is refused alone. */
export const refreshBatchBody = z.strictObject({
  items: batchItems(refreshBatchItem, batchItemsMax),
});

const itemBasis = {
  idempotency_key: z.string().describe('As it was sent; empty where the item has none.'),
  /** What a single request would have been answered with; null once the refresh is terminal. */
  retry_after_seconds: z.int().min(1).nullable(),
};

export const acceptedBatchItem = z.object({
  ...itemBasis,
  result: z.literal('accepted'),
  success: z.literal(true),
  status: z.int().min(200).max(202),
  /** Relative address of the refresh. */
  location: z.string(),
  /** Whether the key had been used before: then this is that refresh, as it is now. */
  idempotency_replayed: z.boolean(),
  data: refreshRecord,
  meta: refreshAcceptanceMeta.omit({ request_id: true, rate_limit: true }),
});

export const refusedBatchItem = z.object({
  ...itemBasis,
  result: z.literal('refused'),
  success: z.literal(false),
  status: z.int().min(400).max(599),
  error: itemError,
});

/** `meta` of a batch; what was reserved is said by each item. */
export const refreshBatchMeta = z.object({
  request_id: requestId,
  product_code: productCode,
  rate_limit: rateLimit,
});

/** `data` of a batch: one result per item, in the order of the request. */
export const refreshBatchResults = z.object({
  items: z.array(z.discriminatedUnion('result', [acceptedBatchItem, refusedBatchItem])),
});
export type RefreshBatchResult = z.infer<typeof refreshBatchResults>['items'][number];
