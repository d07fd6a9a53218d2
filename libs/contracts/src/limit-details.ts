import { z } from 'zod';

/**
 * What bounds the Live Pages of an account beside its rate limit: `concurrency`, those that are read
 * at a time, or `abandoned_reads`, those in a minute whose client leaves while the platform answers.
 */
export const livePageLimit = z.object({
  limit: z.enum(['concurrency', 'abandoned_reads']),
  reads_max: z.int().min(1),
});
/** Too many keys that no Credential has came from the client's address. */
const unknownKeysLimit = z.object({ limit: z.literal('unknown_keys') });
/** Requests without a key, of the client's address. */
const peerLimit = z.object({ limit: z.literal('peer'), limit_per_minute: z.int().min(1) });
/** Bytes of responses that the account's clients have not taken yet. */
const undeliveredLimit = z.object({
  limit: z.literal('concurrency'),
  undelivered_bytes_max: z.int().min(1),
});
/** Credentials that the Project was issued within a day, revoked and expired ones included. */
const issuedLimit = z.object({
  limit: z.literal('credentials_issued'),
  per_day: z.int().min(1),
});

/** `detail` of `rate_limit_exceeded` where no number of requests a minute is the limit. */
export const otherLimits = [
  livePageLimit,
  unknownKeysLimit,
  peerLimit,
  undeliveredLimit,
  issuedLimit,
] as const;
