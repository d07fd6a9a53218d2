import { accountId, credentialId, projectId } from '@inventory/contracts/ids';
import { scope } from '@inventory/contracts/scope';
import { grantedScope, ledgerAsset } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { fromIsoTime } from '@inventory/runtime/clock';
import { z } from 'zod';
import { networkPolicyEntriesMax, parseNetwork } from '../http/network-policy.domain.ts';

/** Text that an operator gives and reads in lists and logs: no line breaks, no control codes. */
const line = (charactersMax: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(charactersMax)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');

const name = line(200);
const reason = line(500);
const creditsMax = 1_000_000_000_000;
const overlapSecondsMax = 7 * 24 * 3600;

const networkPolicy = z
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
  .nullable();

/** Milliseconds since the epoch; see {@link requireFuture}. */
const time = z.iso.datetime({ offset: true }).transform(fromIsoTime);

const scopes = z
  .array(grantedScope)
  .min(1)
  .max(grantedScope.options.length)
  .transform((given) => [...new Set(given)]);

export const accountPath = z.object({ account_id: accountId });
export const projectPath = z.object({ project_id: projectId });
export const credentialPath = z.object({ credential_id: credentialId });
const canonicalNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,9}$/)
  .transform(Number);
export const scopePath = z.object({
  platform_id: scope.shape.platform_id,
  app_id: canonicalNumber.pipe(scope.shape.app_id),
  context_id: canonicalNumber.pipe(scope.shape.context_id),
});

export const listQuery = z.object({
  limit: z
    .string()
    .regex(/^[0-9]{1,3}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .default(50),
  cursor: z.string().max(300).optional(),
});
export const statementQuery = listQuery.extend({ format: z.enum(['json', 'csv']).optional() });

export const noBody = z.strictObject({});
export const accountBody = z.strictObject({ name });
export const projectBody = z.strictObject({ name: name.nullable().default(null) });
export const credentialBody = z.strictObject({
  name: name.nullable().default(null),
  scopes,
  expires_at: time.nullable().default(null),
  network_policy: networkPolicy.default(null),
});
export const networkPolicyBody = z.strictObject({ network_policy: networkPolicy });
export const rateLimitBody = z.strictObject({ limit_per_minute: z.int().min(1).max(1_000_000) });
export const eventsBody = z.strictObject({ enabled: z.boolean() });
export const scopesBody = z.strictObject({ scopes });
export const expiryBody = z.strictObject({ expires_at: time.nullable() });
export const rotationBody = z.strictObject({
  overlap_seconds: z.int().min(0).max(overlapSecondsMax).default(0),
});
export const topUpBody = z.strictObject({
  amount: z.int().min(1).max(creditsMax),
  reason: reason.default('top-up'),
});
export const unitGrantBody = z.strictObject({
  amount: z.int().min(1).max(creditsMax),
  reason: reason.default('unit grant'),
});
const optionalReason = reason.nullable().default(null);
export const fundingBody = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('credits'), reason: optionalReason }),
  z.strictObject({
    mode: z.literal('subscription'),
    units_per_month: z.int().min(1).max(creditsMax),
    reason: optionalReason,
  }),
]);
export const spendCapBody = z.strictObject({
  cap: z.int().min(0).max(creditsMax).nullable(),
  reason: optionalReason,
});
export const adjustmentBody = z.strictObject({
  asset: ledgerAsset.default('credits'),
  amount: z
    .int()
    .min(-creditsMax)
    .max(creditsMax)
    .refine((amount) => amount !== 0, 'must not be 0'),
  reason,
});
export const admissionBody = z.strictObject({ operator_closed: z.boolean() });

/** The longest key that fits into a command id beside the account it counts in. */
const idempotencyKeyMax = 200;
export const bookingHeaders = z.object({
  'idempotency-key': z
    .string('is required')
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters')
    .max(idempotencyKeyMax),
});

/** An expiry in the past is a slip: whoever wants an end now revokes. */
export function requireFuture(expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs > nowMs) return;
  const issue = { in: 'body', field: 'expires_at', reason: 'must be in the future' } as const;
  throw new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
}
