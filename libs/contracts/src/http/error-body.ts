import { z } from 'zod';
import { requestId } from '../ids.ts';
import { publicCodes } from '../refusal-codes.ts';
import { billingDisposition, billingReason, productCode } from '../vocabulary.ts';
import { rateLimit, unitFunding } from './meta.ts';

/**
 * `meta` of an error. Once the account is known, that of a billed operation has what was charged,
 * the disposition and its reason, and `credits_remaining` where something was charged;
 * `price_version` is absent only where the price list has not been read yet.
 */
export const errorMeta = z.object({
  request_id: requestId,
  product_code: productCode.optional(),
  price_version: z.int().min(1).optional(),
  credits_charged: z.int().min(0).optional(),
  credits_remaining: z.int().optional(),
  billing_disposition: billingDisposition.optional(),
  billing_reason: billingReason.nullable().optional(),
  ...unitFunding,
  rate_limit: rateLimit.optional(),
});
export type ErrorMeta = z.infer<typeof errorMeta>;

export const errorCode = z.enum(publicCodes);

/** The error of one item of a batch: the request that it has the id of is the batch. */
export const itemError = z.object({
  code: errorCode,
  message: z.string(),
  detail: z.record(z.string(), z.unknown()).optional(),
});

/** The body of every V2 error. */
export const errorBody = z.object({
  success: z.literal(false),
  error: itemError.extend({ request_id: requestId }),
  meta: errorMeta,
});
