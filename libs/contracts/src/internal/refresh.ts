import { z } from 'zod';
import { idempotencyKey, projectPath, refreshIdPath, scopePath } from '../http/parameters.ts';
import { expectedCompletedAt, refreshRecord } from '../http/refresh.ts';
import { serviceStatus } from '../http/status.ts';
import { accountId, projectId, refreshId, watchId } from '../ids.ts';
import { language } from '../languages.ts';
import { refreshRefusal } from '../refusal.ts';
import { closedReason, refreshState, servedFrom } from '../vocabulary.ts';
import { operationsFor } from './operations.ts';

/** What was held at acceptance, and under which prices. */
export const refreshAcceptance = z.object({
  price_version: z.int(),
  credits_reserved: z.int(),
  /** Set where units fund the refresh; `credits_reserved` is 0 then. */
  units_reserved: z.int().optional(),
  /** Units available after the reservation. */
  units_remaining: z.int().optional(),
});

/** Seconds until the status of a pending refresh is worth a read. */
export const retryAfterSeconds = z.int().min(1).max(60);

/** A collector of the version before states none of them. */
const collectedRecord = refreshRecord.extend({
  served_from: servedFrom.default('scan'),
  verified_at: refreshRecord.shape.verified_at.default(null),
  watch_id: refreshRecord.shape.watch_id.default(null),
  product_code: refreshRecord.shape.product_code.default('platform.inventory.refresh.v1'),
});

/**
 * `interim`: the caller waits for the end, and shows nothing of a pending refresh. Its estimate then
 * leaves out what is before it.
 */
const refreshQuery = z.object({ interim: z.literal('true').optional() });

/** GET /refreshes/{refresh_id} of the collector. */
export const refreshView = z.object({
  account_id: accountId,
  project_id: projectId,
  fingerprint: z.string(),
  decision: z.enum(['pending', 'accepted', 'refused']),
  refusal: refreshRefusal.nullable(),
  /** Set from acceptance on: what `meta` said then. */
  acceptance: refreshAcceptance.nullable(),
  record: collectedRecord,
  /** Null once terminal. */
  retry_after_seconds: retryAfterSeconds.nullable(),
  expected_completed_at: expectedCompletedAt.default(null),
});
export type RefreshView = z.infer<typeof refreshView>;

/** GET /projects/{project_id}/refreshes of the collector: newest first. */
const refreshListQuery = z.object({
  state: z.array(refreshState),
  refresh_id: z.array(refreshId).max(100),
  /** Only the runs of this watch. */
  watch_id: watchId.optional(),
  /** Only those that cost something, or nothing. */
  charged: z.enum(['true', 'false']).optional(),
  limit: z.coerce.number().int().min(1).max(100),
  before_requested_at: z.iso.datetime().optional(),
  before_refresh_id: refreshId.optional(),
});
export const refreshList = z.object({ items: z.array(collectedRecord), has_more: z.boolean() });
export type RefreshList = z.infer<typeof refreshList>;

/** GET /projects/{project_id}/attempt of the collector: one that is not made yet. */
const attemptQuery = scopePath.extend({
  account_id: accountId,
  idempotency_key: idempotencyKey.optional(),
  /** Given where a saved observation may answer it. */
  language: language.optional(),
  max_age_seconds: z.coerce.number().int().min(0).optional(),
});
export const attemptView = z.object({
  /** Whether another attempt holds its key: it would be answered as that one. */
  is_known_key: z.boolean(),
  /** What its admission would refuse it with now, before its funds; null for a known key. */
  refusal: refreshRefusal.nullable(),
  /** Whether a saved observation would answer it now, without funds. */
  is_saved: z.boolean().default(false),
});
export type AttemptView = z.infer<typeof attemptView>;

/** GET and PUT /admission of the collector. */
export const admissionView = z.object({
  state: z.enum(['open', 'closed']),
  reason: closedReason.nullable(),
  operator_closed: z.boolean(),
  outstanding: z.int(),
  outstanding_max: z.int(),
});
export type AdmissionView = z.infer<typeof admissionView>;
export const admissionChange = z.object({ operator_closed: z.boolean() });

const { get, put, remove } = operationsFor(['gateway']);

/** The internal API of the refresh-collector, without that of live pages. */
export const refreshApi = {
  readRefresh: get('/refreshes/{refresh_id}', {
    input: { path: refreshIdPath, query: refreshQuery },
    answer: refreshView,
    refusals: ['refresh_not_found'],
  }),
  listRefreshes: get('/projects/{project_id}/refreshes', {
    input: { path: projectPath, query: refreshListQuery },
    answer: refreshList,
  }),
  readAttempt: get('/projects/{project_id}/attempt', {
    input: { path: projectPath, query: attemptQuery },
    answer: attemptView,
  }),
  readAdmission: get('/admission', { input: {}, answer: admissionView }),
  setAdmission: put('/admission', { input: { body: admissionChange }, answer: admissionView }),
  /** Scans of it that are under way end, and its size is forgotten; after the revision-store erased it. */
  eraseInventory: remove('/inventories/{platform_id}/{app_id}/{context_id}', {
    input: { path: scopePath },
    answer: z.object({}),
  }),
  readStatus: get('/status', { input: {}, answer: serviceStatus }),
};
