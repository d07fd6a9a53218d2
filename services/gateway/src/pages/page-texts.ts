import { idempotencyKey } from '@inventory/contracts/http/parameters';
import { z } from 'zod';

export const keyHeader = z.object({
  'Idempotency-Key': idempotencyKey
    .optional()
    .describe('Kept for 10 minutes: the same read again is free, three times at most.'),
});
export const replayedHeader = {
  'Idempotency-Replayed': '`true` where the page had been paid under this key before.',
};
export const languageHeaders = {
  'X-Description-Language': "The platform's word for the language of the descriptions.",
  'Content-Language': 'Its BCP 47 tag.',
};
export const readErrors = [
  'insufficient_credits',
  'insufficient_units',
  'spend_cap_reached',
  'idempotency_conflict',
  'idempotency_in_progress',
  'replays_exhausted',
  'billing_unavailable',
] as const;
/** V1 has no 504: a slow platform is unavailable there. */
export const v1PlatformErrors = [
  'inventory_private',
  'inventory_not_found',
  'upstream_unavailable',
] as const;
export const platformErrors = [...v1PlatformErrors, 'upstream_timeout'] as const;
