import { z } from 'zod';
import {
  canonicalDecimal,
  idempotencyKey,
  projectPath,
  refreshIdPath,
  scopePath,
} from '../http/parameters.ts';
import { maxAgeSecondsMax, refreshRecord } from '../http/refresh.ts';
import { serviceStatus } from '../http/status.ts';
import { accountId, projectId, refreshId, watchId } from '../ids.ts';
import { language } from '../languages.ts';
import { refreshRefusal } from '../refusal.ts';
import { closedReason, refreshOutcome, refreshState } from '../vocabulary.ts';
import { strictWire, time, wire } from '../wire.ts';
import { operationsFor } from './operations.ts';

/** What was held at acceptance, and under which prices. */
export const acceptanceFields = {
  priceVersion: z.int(),
  creditsReserved: z.int(),
  /** Set where units fund the refresh; `creditsReserved` is 0 then. */
  unitsReserved: z.int().optional(),
  /** Units available after the reservation. */
  unitsRemaining: z.int().optional(),
};
const refreshAcceptance = wire(acceptanceFields);
export type RefreshAcceptance = z.output<typeof refreshAcceptance>;

/** Seconds until the status of a pending refresh is worth a read. */
export const retryAfterSeconds = z.int().min(1).max(60);

/**
 * `interim`: the caller waits for the end, and shows nothing of a pending refresh. Its estimate then
 * leaves out what is before it.
 */
const refreshQuery = z.object({ interim: z.literal('true').optional() });

/** GET /refreshes/{refresh_id} of the collector. */
const refreshView = wire({
  accountId,
  projectId,
  fingerprint: z.string(),
  decision: z.enum(['pending', 'accepted', 'refused']),
  refusal: refreshRefusal.nullable(),
  /** Set from acceptance on: what `meta` said then. */
  acceptance: refreshAcceptance.nullable(),
  record: refreshRecord,
  /** Null once terminal. */
  retryAfterSeconds: retryAfterSeconds.nullable(),
  /** Null when unknown, and once terminal. */
  expectedCompletedAtMs: time.nullable(),
});
export type RefreshView = z.output<typeof refreshView>;

/** GET /projects/{project_id}/refreshes of the collector: newest first. */
const refreshListQuery = wire({
  state: z.array(refreshState),
  refreshId: z.array(refreshId).max(100),
  outcome: z.array(refreshOutcome),
  /** Only those of this inventory. */
  ...scopePath.partial().shape,
  /** Requested then or later, and before then. */
  from: time.optional(),
  to: time.optional(),
  /** Only the runs of this watch. */
  watchId: watchId.optional(),
  /** Only those that cost something, or nothing. */
  charged: z.enum(['true', 'false']).optional(),
  limit: canonicalDecimal(1, 100),
  /** Continue after this refresh. */
  beforeRequestedAtMs: time.optional(),
  beforeRefreshId: refreshId.optional(),
});
const refreshList = wire({ items: z.array(refreshRecord), hasMore: z.boolean() });
export type RefreshList = z.output<typeof refreshList>;

/** GET /projects/{project_id}/attempt of the collector: one that is not made yet. */
const attemptQuery = wire({
  ...scopePath.shape,
  accountId,
  idempotencyKey: idempotencyKey.optional(),
  /** Given where a saved observation may complete it. */
  language: language.optional(),
  maxAgeSeconds: canonicalDecimal(0, maxAgeSecondsMax).optional(),
});
const attemptView = wire({
  /** Whether another attempt holds its key: it would get the response of that one. */
  isKnownKey: z.boolean(),
  /** What its admission would refuse it with now, before its funds; null for a known key. */
  refusal: refreshRefusal.nullable(),
  /** Whether a saved observation would complete it now, without funds. */
  isSaved: z.boolean(),
});
export type AttemptView = z.output<typeof attemptView>;

/** GET and PUT /admission of the collector. */
export const admissionView = wire({
  state: z.enum(['open', 'closed']),
  reason: closedReason.nullable(),
  operatorClosed: z.boolean(),
  outstanding: z.int(),
  outstandingMax: z.int(),
});
export type AdmissionView = z.output<typeof admissionView>;
export const admissionChange = strictWire({ operatorClosed: z.boolean() });

const { get, put, remove } = operationsFor(['gateway']);

/** The internal API of the refresh-collector, without that of live pages. */
export const refreshApi = {
  readRefresh: get('/refreshes/{refresh_id}', {
    input: { path: refreshIdPath, query: refreshQuery },
    response: refreshView,
    refusals: ['refresh_not_found'],
  }),
  listRefreshes: get('/projects/{project_id}/refreshes', {
    input: { path: projectPath, query: refreshListQuery },
    response: refreshList,
  }),
  readAttempt: get('/projects/{project_id}/attempt', {
    input: { path: projectPath, query: attemptQuery },
    response: attemptView,
  }),
  readAdmission: get('/admission', { input: {}, response: admissionView }),
  setAdmission: put('/admission', { input: { body: admissionChange }, response: admissionView }),
  /** Scans of it that are under way end, and its size is forgotten; after the revision-store erased it. */
  eraseInventory: remove('/inventories/{platform_id}/{app_id}/{context_id}', {
    input: { path: scopePath },
    response: z.object({}),
  }),
  readStatus: get('/status', { input: {}, response: serviceStatus }),
};
