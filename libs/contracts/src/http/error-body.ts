import { z } from 'zod';
import { requestId } from '../ids.ts';
import { publicCodes } from '../refusal-codes.ts';
import { billingDisposition, billingReason, productCode } from '../vocabulary.ts';
import { wire } from '../wire.ts';
import { commonMeta, rateLimit, unitFunding } from './meta.ts';

const billingFields = {
  priceVersion: z.int().min(1).optional(),
  creditsCharged: z.int().min(0).optional(),
  creditsRemaining: z.int().optional(),
  billingDisposition: billingDisposition.optional(),
  billingReason: billingReason.nullable().optional(),
  ...unitFunding,
};
/** What is known of the cost of a billed operation. */
export type Billing = Readonly<z.infer<z.ZodObject<typeof billingFields>>>;

/**
 * `meta` of an error. Once the account is known, that of a billed operation has what was charged,
 * the disposition and its reason, and `credits_remaining` where something was charged;
 * `price_version` is absent only where the price list has not been read yet.
 */
export const errorMeta = wire({
  ...commonMeta,
  productCode: productCode.optional(),
  ...billingFields,
  rateLimit: rateLimit.optional(),
});
export type ErrorMeta = z.output<typeof errorMeta>;

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
