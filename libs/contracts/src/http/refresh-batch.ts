import { z } from 'zod';
import { inventoryKey } from '../inventory-key.ts';
import { defaultLanguage, language } from '../languages.ts';
import { productCode } from '../vocabulary.ts';
import { strictWire, wire } from '../wire.ts';
import { itemError } from './error-body.ts';
import { acceptanceTerms, commonMeta, rateLimit } from './meta.ts';
import { batchItems, idempotencyKey } from './parameters.ts';
import { maxAgeSeconds, maxCredits, maxCreditsMin, refreshRecord } from './refresh.ts';

/** Refreshes of one batch at most. */
export const batchItemsMax = 100;
/** Largest body of a batch. */
export const batchBytesMax = 64 * 1024;

/** One refresh of a batch; too low a `max_credits` is refused for that item alone. */
export const refreshBatchItem = strictWire({
  ...inventoryKey.shape,
  language: language.default(defaultLanguage),
  maxCredits: maxCredits.meta({ minimum: maxCreditsMin }),
  maxAgeSeconds,
  idempotencyKey,
});
export type RefreshBatchItem = z.output<typeof refreshBatchItem>;

/** Body of POST Batch. Each item is validated on its own: an invalid one is refused alone. */
export const refreshBatchBody = z.strictObject({
  items: batchItems(refreshBatchItem, batchItemsMax),
});

const itemBasis = {
  idempotencyKey: z.string().describe('As it was sent; empty where the item has none.'),
  /** `Retry-After` of the same request alone; null once the refresh is terminal. */
  retryAfterSeconds: z.int().min(1).nullable(),
};

export const acceptedBatchItem = wire({
  ...itemBasis,
  result: z.literal('accepted'),
  success: z.literal(true),
  status: z.int().min(200).max(202),
  /** Relative address of the refresh. */
  location: z.string(),
  /** Whether the key had been used before: then this is that refresh, as it is now. */
  idempotencyReplayed: z.boolean(),
  data: refreshRecord,
  meta: acceptanceTerms,
});

export const refusedBatchItem = wire({
  ...itemBasis,
  result: z.literal('refused'),
  success: z.literal(false),
  status: z.int().min(400).max(599),
  error: itemError,
});

/** `meta` of a batch; what was reserved is said by each item. */
export const refreshBatchMeta = wire({ ...commonMeta, productCode, rateLimit });

/** `data` of a batch: one result per item, in the order of the request. */
export const refreshBatchResults = z.object({
  items: z.array(z.discriminatedUnion('result', [acceptedBatchItem, refusedBatchItem])),
});
export type RefreshBatchResult = z.output<typeof refreshBatchResults>['items'][number];
