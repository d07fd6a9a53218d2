import { credentialRecord } from '@inventory/contracts/http/credentials';
import {
  canonicalDecimal,
  controlFree,
  listParameters,
} from '@inventory/contracts/http/parameters';
import {
  accountId,
  auditId,
  credentialId,
  projectId,
  requestId,
  serviceAccountId,
} from '@inventory/contracts/ids';
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

export const networkPolicy = z
  .array(z.string().max(100))
  .min(1, 'must name a network; null allows every network')
  .max(networkPolicyEntriesMax)
  .transform((entries, context) => {
    const networks = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const parsed = parseNetwork(entry);
      if (parsed.result === 'valid') networks.add(parsed.network);
      else context.addIssue({ code: 'custom', message: parsed.reason, path: [index] });
    }
    return [...networks];
  })
  .nullable()
  .describe('Networks that clients must come from; null for any.');

/** Body of a PATCH: the given fields are set, the others stay. */
export function changeOf<Shape extends Record<string, z.ZodExactOptional>>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine((change) => Object.keys(change).length > 0, {
      error: 'must change something',
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ minProperties: 1 });
}

export const accountPath = z.object({ account_id: accountId });
export const serviceAccountPath = z.object({ service_account_id: serviceAccountId });
export const credentialPath = z.object({ credential_id: credentialId });

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

export const ownerState = z
  .enum(['active', 'suspended'])
  .describe('Suspended, none of its Credentials is valid.');
const shownPolicy = z.array(z.string()).nullable();
const time = z.iso.datetime();

export const accountRecord = z.object({
  account_id: accountId,
  name: z.string(),
  state: ownerState,
  network_policy: shownPolicy,
  /** Of the default Service account. */
  rate_limit_per_minute: z.int(),
  traffic_limit_per_minute: z
    .int()
    .nullable()
    .describe('Of all Service accounts together; null for the configured limit.'),
  default_service_account_id: serviceAccountId,
  events_enabled: z.boolean(),
  capture_enabled: z.boolean().describe('Whether its chains of Live Pages are saved as revisions.'),
  created_at: time,
  changed_at: time,
});

export const projectRecord = z.object({
  project_id: projectId,
  account_id: accountId,
  name: z.string().nullable(),
  state: ownerState,
  network_policy: shownPolicy,
  created_at: time,
  changed_at: time,
});

export const serviceAccountRecord = z.object({
  service_account_id: serviceAccountId,
  account_id: accountId,
  name: z.string(),
  is_default: z.boolean(),
  network_policy: shownPolicy,
  rate_limit_per_minute: z.int(),
  created_at: time,
  changed_at: time,
});

/** The Credential of a secret that was found somewhere. */
export const foundCredential = credentialRecord.extend({
  secret_valid: z
    .boolean()
    .describe('Whether it is the secret of the Credential now, or one in its overlap.'),
});

export const auditRecord = z.object({
  audit_id: auditId,
  at: time,
  kind: z.enum(['started', 'ended', 'refused']),
  request_id: requestId,
  operator: z.string().nullable().describe('Null where the token is not of an operator.'),
  peer: z.string(),
  method: z.string(),
  path: z.string(),
  action: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()),
  outcome: z.string().nullable().describe('`done`, or an error code; null of a start.'),
});

/** One part of a list; `next_cursor` is null on the last part. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}
