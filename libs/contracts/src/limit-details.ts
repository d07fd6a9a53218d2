import { z } from 'zod';
import { rateLimit, trafficLimit } from './http/meta.ts';

/** The forms of `detail` of `rate_limit_exceeded`, told apart by `limit`. */

/** Requests of a minute. */
export const requestLimit = rateLimit.in.extend({
  /** Whose limit it is: that of the Service account, or of the whole customer account. */
  limit: trafficLimit,
  /** Of a batch: how many requests it would have taken. */
  required: z.int().min(1).optional(),
});
/**
 * What bounds the Live Pages and exports of an account beside its rate limit: `concurrency`, those at a
 * time, or `abandoned_reads`, Live Pages of a minute whose client leaves before the response.
 */
export const readLimit = z.object({
  limit: z.enum(['concurrency', 'abandoned_reads']),
  reads_max: z.int().min(1),
});
/** Bytes of responses that the account's clients have not taken yet. */
export const undeliveredLimit = z.object({
  limit: z.literal('undelivered_bytes'),
  bytes_max: z.int().min(1),
});
/** Too many keys that no Credential has came from the client's address. */
export const unknownKeysLimit = z.object({
  limit: z.literal('unknown_keys'),
  limit_per_minute: z.int().min(1),
});
/** Requests without a key, of the client's address. */
export const peerLimit = z.object({ limit: z.literal('peer'), limit_per_minute: z.int().min(1) });
/** Credentials that the Project was issued within a day, revoked and expired ones included. */
export const issuedLimit = z.object({
  limit: z.literal('credentials_issued'),
  per_day: z.int().min(1),
});
