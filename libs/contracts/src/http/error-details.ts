import { z } from 'zod';
import { refreshId } from '../ids.ts';
import { admissionReason, permission } from '../vocabulary.ts';
import type { ErrorCode } from './error-codes.ts';
import { rateLimit, requestIssue } from './meta.ts';

const funds = z.object({ required: z.int().min(0), available: z.int() });

/** Why the platform could not be read. */
export const upstreamReason = z.enum([
  'throttled',
  'egress_busy',
  'breaker_open',
  'bad_answer',
  'unconfirmed',
]);

/** `error.detail` of each code that can have one; the others never do. */
export const errorDetails = {
  permission_denied: z.object({
    /** What the Credential lacks. */
    permission: permission.optional(),
    /** Why it may not although it has the permission. */
    reason: z.enum(['network_policy', 'events_not_enabled']).optional(),
  }),
  invalid_request: z.object({ issues: z.array(requestIssue).min(1) }),
  max_credits_too_low: z.object({ minimum: z.int().min(1) }),
  insufficient_credits: funds,
  insufficient_units: funds,
  spend_cap_reached: z.object({
    required: z.int().min(0).optional(),
    available: z.int().optional(),
    cap: z.int().min(0).optional(),
    spent: z.int().min(0).optional(),
    resets_at: z.iso.datetime().optional(),
  }),
  idempotency_conflict: z.object({
    reason: z.literal('replays_exhausted'),
    replays_max: z.int().min(0),
  }),
  rate_limit_exceeded: rateLimit.extend({
    /** Of a batch: how many requests it would have taken. */
    required: z.int().min(1).optional(),
  }),
  outstanding_limit_exceeded: z.object({ limit: z.int().min(0) }),
  webhook_endpoint_limit_reached: z.object({ limit: z.int().min(0) }),
  stream_limit_exceeded: z.object({ limit: z.int().min(0) }),
  /** Of an event cursor: where what is kept begins. */
  cursor_expired: z.object({
    earliest_as_of: z.iso.datetime().nullable(),
    resume_cursor: z.string(),
  }),
  product_unavailable: z.object({
    admission_state: z.literal('closed'),
    reason: admissionReason,
  }),
  upstream_unavailable: z.object({ reason: upstreamReason }),
  service_unavailable: z.object({
    /** The request was sent on and may have been done; the same key and inputs find out. */
    outcome: z.literal('unknown'),
    /** Of a refresh without a key: what is being cancelled. */
    refresh_id: refreshId.optional(),
  }),
} as const satisfies Partial<Record<ErrorCode, z.ZodType>>;

/** Codes whose `detail` is not always there. */
export const optionalDetails: readonly ErrorCode[] = [
  'cursor_expired',
  'idempotency_conflict',
  'service_unavailable',
];
