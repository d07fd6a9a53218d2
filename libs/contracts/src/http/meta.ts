import { z } from 'zod';
import { requestId } from '../ids.ts';
import { billingDisposition, billingReason, productCode } from '../vocabulary.ts';

/** `meta.rate_limit`: requests left of the Service account's present minute. */
export const rateLimit = z.object({
  limit_per_minute: z.int().min(0),
  remaining: z.int().min(0),
  reset_seconds: z.int().min(1).max(60),
});
export type RateLimit = z.infer<typeof rateLimit>;

/** What a request limit belongs to. */
export const trafficLimit = z.enum(['service_account', 'customer']);
export type TrafficLimit = z.infer<typeof trafficLimit>;

/** `meta` of operations that cost nothing. */
export const plainMeta = z.object({ request_id: requestId });

/** Where subscription units pay; absent where prepaid credits do. */
export const unitFunding = {
  funding: z.literal('subscription').optional(),
  units_charged: z.int().min(0).optional(),
  units_remaining: z.int().min(0).optional(),
};

/** `meta` of refresh acceptance. */
export const refreshAcceptanceMeta = z.object({
  request_id: requestId,
  product_code: productCode,
  price_version: z.int().min(1),
  credits_reserved: z.int().min(0),
  billing_disposition: billingDisposition,
  billing_reason: z.literal('subscription_allowance').optional(),
  ...unitFunding,
  units_reserved: z.int().min(0).optional(),
  rate_limit: rateLimit,
});

/** `meta` of a page that was charged. */
export const pageReadMeta = z.object({
  request_id: requestId,
  product_code: productCode,
  price_version: z.int().min(1),
  credits_charged: z.int().min(0),
  credits_remaining: z.int(),
  billing_disposition: billingDisposition,
  billing_reason: billingReason.nullable(),
  ...unitFunding,
  rate_limit: rateLimit,
});

/** One problem of a request, in `error.detail.issues` of `invalid_request`. */
export const requestIssue = z.object({
  in: z.enum(['path', 'query', 'header', 'body']),
  field: z.string(),
  reason: z.string(),
});
export type RequestIssue = z.infer<typeof requestIssue>;

/** `data.pagination` of lists and pages. */
export const pagination = z.object({
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe('Opaque. Null on the last page.'),
});
