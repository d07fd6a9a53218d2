import { z } from 'zod';
import { environment } from '../environment.ts';
import { requestId } from '../ids.ts';
import { billingDisposition, billingReason, productCode } from '../vocabulary.ts';
import { wire } from '../wire.ts';

/** `meta.rate_limit`: requests left of the Service account's present minute. */
export const rateLimit = wire({
  limitPerMinute: z.int().min(0),
  remaining: z.int().min(0),
  resetSeconds: z.int().min(1).max(60),
});
export type RequestsLeft = z.output<typeof rateLimit>;

/** What a request limit belongs to. */
export const trafficLimit = z.enum(['service_account', 'customer']);
export type TrafficLimit = z.infer<typeof trafficLimit>;

/** What every `meta` has: the environment wherever a key was accepted. */
export const commonMeta = { requestId, environment: environment.optional() };

/** `meta` of operations that cost nothing. */
export const plainMeta = wire(commonMeta);

/** Where subscription units pay; absent where prepaid credits do. */
export const unitFunding = {
  funding: z.literal('subscription').optional(),
  unitsCharged: z.int().min(0).optional(),
  unitsRemaining: z.int().min(0).optional(),
};

const acceptanceTermsFields = {
  productCode,
  priceVersion: z.int().min(1),
  creditsReserved: z.int().min(0),
  billingDisposition,
  billingReason: z.literal('subscription_allowance').optional(),
  ...unitFunding,
  unitsReserved: z.int().min(0).optional(),
};

/** What a refresh is accepted at, as an item of a batch states it. */
export const acceptanceTerms = wire(acceptanceTermsFields);
export type AcceptanceTerms = z.output<typeof acceptanceTerms>;

/** `meta` of refresh acceptance. */
export const refreshAcceptanceMeta = wire({
  ...commonMeta,
  ...acceptanceTermsFields,
  rateLimit,
});

/** `meta` of a page that was charged. */
export const pageReadMeta = wire({
  ...commonMeta,
  productCode,
  priceVersion: z.int().min(1),
  creditsCharged: z.int().min(0),
  creditsRemaining: z.int(),
  billingDisposition,
  billingReason: billingReason.nullable(),
  ...unitFunding,
  rateLimit,
});

/** One problem of a request, in `error.detail.issues` of `invalid_request`. */
export const requestIssue = z.object({
  in: z.enum(['path', 'query', 'header', 'body']),
  field: z.string(),
  reason: z.string(),
});
export type RequestIssue = z.infer<typeof requestIssue>;

/** `data.pagination` of lists and pages. */
export const pagination = wire({
  hasMore: z.boolean(),
  nextCursor: z.string().nullable().describe('Opaque. Null on the last page.'),
});
