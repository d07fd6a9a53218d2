import {
  canonicalDecimal,
  controlFree,
  listParameters,
} from '@inventory/contracts/http/parameters';
import { accountId, credentialId, serviceAccountId } from '@inventory/contracts/ids';
import { strictWire, wire } from '@inventory/contracts/wire';
import { z } from 'zod';
import { networkPolicyEntriesMax, parseNetwork } from '../tenancy/network-policy.domain.ts';

/** Text of an operator, shown in lists and logs: no line breaks, no control codes. */
function line(charactersMax: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(charactersMax)
    .regex(controlFree, 'must not contain control characters');
}

export const name = line(200);
export const reason = line(500).describe('Stands in the statement.');
export const optionalReason = reason.nullable().default(null);
/** Largest number of credits or units of one entry. */
export const creditsMax = 1_000_000_000_000;

const networks = z
  .array(z.string().max(100))
  .min(1, 'must name a network; null allows every network')
  .max(networkPolicyEntriesMax);

/** Networks in canonical form. */
export const settableNetworkPolicy = z
  .codec(networks, z.array(z.string()), {
    decode(entries, { issues }) {
      const canonical = new Set<string>();
      for (const [index, entry] of entries.entries()) {
        const parsed = parseNetwork(entry);
        if (parsed.result === 'valid') canonical.add(parsed.network);
        else issues.push({ code: 'custom', input: entry, message: parsed.reason, path: [index] });
      }
      return [...canonical];
    },
    encode: (canonical) => canonical,
  })
  .nullable()
  .describe('Networks that clients must come from; null for any.');

/** Body of a PATCH: the given fields are set, the others stay. */
export function changeOf<const Fields extends Record<string, z.ZodExactOptional>>(fields: Fields) {
  return strictWire(fields)
    .refine((change) => Object.keys(change).length > 0, {
      error: 'must change something',
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ minProperties: 1 });
}

export const accountPath = wire({ accountId });
export const serviceAccountPath = wire({ serviceAccountId });
export const credentialPath = wire({ credentialId });

export const listQuery = z.object({
  limit: canonicalDecimal(1, 100).default(50).describe('Items of this page; 50 when absent.'),
  cursor: listParameters.cursor,
});

/** Requests per minute, as an operator sets them. */
export const limitPerMinute = z.int().min(1).max(1_000_000);

export const emptyBody = z.strictObject({});

/** Longest key that fits into a command id together with its account. */
const idempotencyKeyMax = 200;
const operatorKey = z
  .string('is required')
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters')
  .max(idempotencyKeyMax)
  .describe('The same key again changes nothing more.');
export const bookingHeaders = z.object({ 'idempotency-key': operatorKey });
export const keyedHeaders = z.object({ 'idempotency-key': operatorKey.optional() });

/** One part of a list; `next_cursor` is null on the last part. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return wire({ items: z.array(item), nextCursor: z.string().nullable() });
}
