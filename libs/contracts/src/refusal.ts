import { z } from 'zod';
import { requestIssue } from './http/meta.ts';
import { refreshId, revisionId } from './ids.ts';
import {
  issuedLimit,
  peerLimit,
  readLimit,
  requestLimit,
  undeliveredLimit,
  unknownKeysLimit,
} from './limit-details.ts';
import { admissionReason, operatorRole, permission, upstreamReason } from './vocabulary.ts';

/**
 * Refusals: the expected ways in which a request or a command is not carried out. The value is
 * passed on unchanged from the decision to the last response. `code` names the refusal, `detail` is
 * `error.detail` of every client, `retry_after_seconds` the time until another try is worthwhile.
 * Status and text of a code: `refusal-codes.ts`.
 */

const retryAfter = { retry_after_seconds: z.int().min(1) };
const limit = { detail: z.object({ limit: z.int().min(0) }) };

/** Whose cap is reached; the Project's is checked first. */
export const spendCapScopes = ['project', 'credential'] as const;

/** What a cap is and what is spent of it in this UTC month: charges and open holds. */
const spendCapDetail = z.object({
  scope: z
    .enum(spendCapScopes)
    .optional()
    .describe('Whose cap it is; absent from what an earlier version recorded: the Project then.'),
  cap: z.int().min(0),
  spent: z.int().min(0),
  resets_at: z.iso.datetime(),
});

const insufficientFunds = z.object({
  code: z.enum(['insufficient_credits', 'insufficient_units']),
  detail: z.object({ required: z.int().min(0), available: z.int() }),
});
const spendCapReached = z.object({
  code: z.enum(['spend_cap_reached']),
  detail: spendCapDetail,
});
const outstandingLimitExceeded = z.object({
  code: z.enum(['outstanding_limit_exceeded']),
  detail: z.object({
    /** Their number, or the account's part of the capacity while others wait. */
    limit: z.enum(['account_count', 'account_share']),
    outstanding_max: z.int().min(0).describe('Most outstanding refreshes of an account.'),
  }),
  ...retryAfter,
});
const productUnavailable = z.object({
  code: z.enum(['product_unavailable']),
  detail: z.object({
    admission_state: z.literal('closed'),
    reason: admissionReason,
    pages_max: z
      .int()
      .min(0)
      .optional()
      .describe('Of `inventory_too_large`: pages that one scan can read before its deadline.'),
  }),
  ...retryAfter,
});
const serviceUnavailable = z.object({
  code: z.enum(['service_unavailable']),
  detail: z
    .object({
      /** The request was sent on and may have been done; the same key and inputs find out. */
      outcome: z.literal('unknown'),
      /** Of a refresh without a key: what is being cancelled. */
      refresh_id: refreshId.optional(),
    })
    .optional(),
  ...retryAfter,
});
const livePageLimitExceeded = z.object({
  code: z.enum(['rate_limit_exceeded']),
  detail: readLimit,
  ...retryAfter,
});
/** Denied by the platform, and confirmed by a second identity. */
const inventoryDenied = z.object({ code: z.enum(['inventory_private', 'inventory_not_found']) });
const upstreamTimeout = z.object({ code: z.enum(['upstream_timeout']), ...retryAfter });
const upstreamUnavailable = z.object({
  code: z.enum(['upstream_unavailable']),
  detail: z.object({ reason: upstreamReason }),
  ...retryAfter,
});

export const refusal = z.discriminatedUnion('code', [
  z.object({
    code: z.enum([
      'missing_api_key',
      'invalid_api_key',
      'malformed_request',
      'headers_too_large',
      'request_timeout',
      'malformed_json',
      'unsupported_media_type',
      'payload_too_large',
      'not_acceptable',
      'invalid_cursor',
      'route_not_found',
      'method_not_allowed',
      'refresh_not_found',
      'project_not_found',
      'webhook_endpoint_not_found',
      'event_not_found',
      'inventory_revision_not_found',
      'refresh_already_completed',
      'idempotency_conflict',
      'internal_error',
      'watch_not_found',
    ]),
  }),
  z.object({
    code: z.enum([
      'operator_token_required',
      'account_not_found',
      'service_account_not_found',
      'credential_not_found',
      'credential_revoked',
      'concurrent_change',
      'balance_limit_exceeded',
    ]),
  }),
  z.object({
    code: z.enum([
      'service_token_required',
      'caller_not_permitted',
      'usage_too_large',
      'digest_mismatch',
      'chunk_conflict',
      'inventory_erased',
      'hold_unknown',
      'already_reversed',
      'charge_unknown',
    ]),
  }),
  z.object({
    code: z.enum(['idempotency_in_progress', 'billing_unavailable', 'operator_throttled']),
    ...retryAfter,
  }),
  z.object({
    code: z.enum(['operator_role_required']),
    /** What the operator lacks. */
    detail: z.object({ role: operatorRole }),
  }),
  z.object({
    code: z.enum(['permission_denied']),
    detail: z.object({
      /** What the Credential lacks. */
      permission: permission.optional(),
      /** Why it may not although it has the permission. */
      reason: z.enum(['network_policy', 'events_not_enabled', 'not_delegable']).optional(),
    }),
  }),
  z.object({
    code: z.enum(['invalid_request']),
    detail: z.object({ issues: z.array(requestIssue).min(1) }),
  }),
  z.object({
    code: z.enum(['max_credits_too_low']),
    detail: z.object({ minimum: z.int().min(1) }),
  }),
  z.object({
    code: z.enum(['price_version_conflict']),
    detail: z.object({ next_version: z.int().min(1) }),
  }),
  z.object({
    code: z.enum(['effective_date_too_early']),
    detail: z.object({ earliest: z.iso.datetime() }),
  }),
  z.object({
    code: z.enum(['replays_exhausted']),
    detail: z.object({ replays_max: z.int().min(0) }),
  }),
  z.object({
    code: z.enum(['rate_limit_exceeded']),
    detail: z.discriminatedUnion('limit', [
      requestLimit,
      readLimit,
      undeliveredLimit,
      unknownKeysLimit,
      peerLimit,
      issuedLimit,
    ]),
    ...retryAfter,
  }),
  z.object({
    code: z.enum(['stream_limit_exceeded', 'watch_limit_exceeded']),
    ...limit,
    ...retryAfter,
  }),
  z.object({
    code: z.enum(['webhook_endpoint_limit_reached', 'credential_limit_reached']),
    ...limit,
  }),
  z.object({
    code: z.enum(['secret_rotation_in_progress']),
    /** When the older of the two secrets stops signing. */
    detail: z.object({ ends_at: z.iso.datetime() }),
  }),
  z.object({
    code: z.enum(['cursor_expired']),
    /** Of an event cursor: where what is kept begins. */
    detail: z
      .object({ earliest_as_of: z.iso.datetime().nullable(), resume_cursor: z.string() })
      .optional(),
  }),
  z.object({
    code: z.enum(['revision_expired']),
    /** The newest revision, and where it is read. */
    detail: z.object({ revision_id: revisionId, links: z.object({ current: z.string() }) }),
  }),
  insufficientFunds,
  spendCapReached,
  outstandingLimitExceeded,
  productUnavailable,
  serviceUnavailable,
  inventoryDenied,
  upstreamTimeout,
  upstreamUnavailable,
]);
export type Refusal = z.infer<typeof refusal>;
export type RefusalCode = Refusal['code'];

/** What an account cannot pay for, or its Project may not. */
export type FundsRefusal = z.infer<typeof insufficientFunds> | z.infer<typeof spendCapReached>;

/** Why the ledger does not carry out a command. */
export const billingRefusal = z.discriminatedUnion('code', [
  insufficientFunds,
  spendCapReached,
  z.object({
    code: z.enum([
      'idempotency_conflict',
      'balance_limit_exceeded',
      'hold_unknown',
      'already_reversed',
      'charge_unknown',
    ]),
  }),
]);
export type BillingRefusal = z.infer<typeof billingRefusal>;
export const billingRefusalCodes = billingRefusal.options.flatMap(
  ({ shape }) => shape.code.options,
);

/** Why an attempt is refused before any work; it holds nothing and keeps no Idempotency-Key. */
export const refreshRefusal = z.discriminatedUnion('code', [
  insufficientFunds,
  spendCapReached,
  outstandingLimitExceeded,
  productUnavailable,
  /** Cancelled before it was admitted, or its command came too late: another attempt may do. */
  serviceUnavailable.omit({ detail: true }),
]);
export type RefreshRefusal = z.infer<typeof refreshRefusal>;

export type InventoryDenial = z.infer<typeof inventoryDenied>;

/** Why there is no live page. */
export const livePageRefusal = z.discriminatedUnion('code', [
  inventoryDenied,
  livePageLimitExceeded,
  upstreamTimeout,
  upstreamUnavailable,
]);
export type LivePageRefusal = z.infer<typeof livePageRefusal>;

const shapes = new Map<RefusalCode, Readonly<Record<string, z.ZodType>>>(
  refusal.options.flatMap(({ shape }) => shape.code.options.map((code) => [code, shape] as const)),
);

/** Schema of a code's `detail`; undefined where it never has one. */
export function detailSchema(code: RefusalCode): z.ZodType | undefined {
  return shapes.get(code)?.['detail'];
}

/** Whether a refusal with this code always has `retry_after_seconds`. */
export function hasRetryAfter(code: RefusalCode): boolean {
  return shapes.get(code)?.['retry_after_seconds'] !== undefined;
}

/** The particulars of a refusal, as its code decides them. */
export function detailOf(refused: Refusal): Readonly<Record<string, unknown>> | undefined {
  return 'detail' in refused ? refused.detail : undefined;
}

/** Seconds until another try is worthwhile; null where the code has none. */
export function retryAfterOf(refused: Refusal): number | null {
  return 'retry_after_seconds' in refused ? refused.retry_after_seconds : null;
}
