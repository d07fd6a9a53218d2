import { changesPath } from '@inventory/contracts/http/changes';
import { currentPath } from '@inventory/contracts/http/current';
import type { projectEvent } from '@inventory/contracts/http/project-event';
import { refreshLink, type refreshRecord } from '@inventory/contracts/http/refresh';
import { watchLink } from '@inventory/contracts/http/watches';
import { type webhookPingEvent, webhookPingType } from '@inventory/contracts/http/webhooks';
import { type PublicCode, refusalCodes } from '@inventory/contracts/refusal-codes';
import type { z } from 'zod';

/** Values that the examples of the reference share, so that they are consistent. */
export const exampleIds = {
  request: 'req_0198c0de-0000-7000-8000-000000000001',
  refresh: '0198c0de-0000-7000-8000-000000000002',
  revision: 'invrev_0198c0de-0000-7000-8000-000000000003',
  observation: 'invobs_0198c0de-0000-7000-8000-000000000004',
  project: 'prj_0198c0de-0000-7000-8000-000000000005',
  account: 'acc_0198c0de-0000-7000-8000-000000000006',
  serviceAccount: 'sa_0198c0de-0000-7000-8000-000000000006',
  credential: 'cred_0198c0de-0000-7000-8000-000000000007',
  watch: 'wat_0198c0de-0000-7000-8000-000000000010',
  webhookEndpoint: 'whe_0198c0de-0000-7000-8000-000000000009',
} as const;

/** The revision before the one of the examples. */
const exampleBefore = 'invrev_0198c0de-0000-7000-8000-00000000000a';

export const exampleScope = {
  platform_id: '76561190000000001',
  app_id: 730,
  context_id: 2,
} as const;

export const exampleRateLimit = { limit_per_minute: 120, remaining: 118, reset_seconds: 42 };
export const plainMetaExample = { request_id: exampleIds.request };

export const queuedRecord: z.input<typeof refreshRecord> = {
  refresh_id: exampleIds.refresh,
  scope: exampleScope,
  state: 'queued',
  requested_at: '2026-01-15T10:00:00.000Z',
  completed_at: null,
  deadline_at: '2026-01-15T10:30:00.000Z',
  outcome: null,
  revision_id: null,
  served_from: 'scan',
  verified_at: null,
  watch_id: null,
  product_code: 'platform.inventory.refresh.v1',
  billing_state: 'reserved',
  billing_disposition: null,
  billing: {
    state: 'reserved',
    disposition: null,
    credits_reserved: 125,
    credits_charged: null,
    credits_released: null,
  },
};

export const completedRecord: z.input<typeof refreshRecord> = {
  ...queuedRecord,
  state: 'completed',
  completed_at: '2026-01-15T10:00:21.000Z',
  deadline_at: null,
  outcome: 'complete_changed',
  revision_id: exampleIds.revision,
  links: {
    current: currentPath(exampleScope),
    changes: changesPath(exampleScope, exampleBefore),
  },
  verified_at: '2026-01-15T10:00:20.000Z',
  billing_state: 'finalized',
  billing_disposition: 'finalize_complete',
  billing: {
    state: 'finalized',
    disposition: 'finalize_complete',
    credits_reserved: 125,
    credits_charged: 3,
    credits_released: 122,
  },
};

export const savedRecord: z.input<typeof refreshRecord> = {
  ...completedRecord,
  completed_at: '2026-01-15T10:00:00.012Z',
  outcome: 'complete_unchanged',
  links: { current: currentPath(exampleScope) },
  served_from: 'saved',
  verified_at: '2026-01-15T09:58:31.000Z',
  billing_disposition: 'finalize_saved',
  billing: {
    state: 'finalized',
    disposition: 'finalize_saved',
    credits_reserved: 0,
    credits_charged: 0,
    credits_released: 0,
  },
};

export const acceptanceTermsExample = {
  product_code: 'platform.inventory.refresh.v1',
  price_version: 1,
  credits_reserved: 125,
  billing_disposition: 'reserved',
} as const;

export const savedTermsExample = {
  ...acceptanceTermsExample,
  credits_reserved: 0,
  billing_disposition: 'not_charged',
} as const;

export const exampleRows = {
  assets: [
    {
      appid: 730,
      contextid: '2',
      assetid: '31415926535',
      classid: '310776959',
      instanceid: '0',
      amount: '1',
    },
  ],
  descriptions: [
    {
      appid: 730,
      classid: '310776959',
      instanceid: '0',
      market_hash_name: 'Sealed Crate',
      tradable: 1,
    },
  ],
};

export const pageMetaExample = {
  ...plainMetaExample,
  price_version: 1,
  credits_charged: 1,
  credits_remaining: 996,
  billing_disposition: 'charged',
  billing_reason: null,
  rate_limit: exampleRateLimit,
} as const;

export const exampleCursor = 'mQ0dQ3T1X6cQm5m0kq8oY2s4';

export const changesExample = {
  scope: exampleScope,
  from_revision_id: exampleBefore,
  to_revision_id: exampleIds.revision,
  observation_id: exampleIds.observation,
  verified_at: '2026-01-15T10:00:20.000Z',
  age_seconds: 61,
  scan_window: {
    started_at: '2026-01-15T10:00:02.000Z',
    completed_at: '2026-01-15T10:00:20.000Z',
  },
  added: exampleRows.assets,
  removed: [],
  changed: [],
  descriptions: exampleRows.descriptions,
  counts: { added: exampleRows.assets.length, removed: 0, changed: 0 },
  pagination: { has_more: false, next_cursor: null },
};

const details: Partial<Record<PublicCode, object>> = {
  permission_denied: { permission: 'platform.inventory.refresh.v1' },
  invalid_request: {
    issues: [{ in: 'path', field: 'platform_id', reason: 'must be 17 digits' }],
  },
  max_credits_too_low: { minimum: 125 },
  revision_expired: {
    revision_id: exampleIds.revision,
    links: { current: currentPath(exampleScope) },
  },
  replays_exhausted: { replays_max: 3 },
  insufficient_credits: { required: 125, available: 80 },
  insufficient_units: { required: 125, available: 80 },
  spend_cap_reached: { cap: 5_000, spent: 4_950, resets_at: '2026-02-01T00:00:00.000Z' },
  rate_limit_exceeded: {
    limit: 'service_account',
    ...{ limit_per_minute: 120, remaining: 0, reset_seconds: 42 },
  },
  stream_limit_exceeded: { limit: 4 },
  watch_limit_exceeded: { limit: 10_000 },
  webhook_endpoint_limit_reached: { limit: 10 },
  credential_limit_reached: { limit: 100 },
  secret_rotation_in_progress: { ends_at: '2026-01-16T10:00:00.000Z' },
  outstanding_limit_exceeded: { limit: 'account_count', outstanding_max: 1_000 },
  product_unavailable: { admission_state: 'closed', reason: 'global_outstanding_closed' },
  upstream_unavailable: { reason: 'throttled' },
};

/** The `error` of a failure, determined by its code. */
export function errorExample(code: PublicCode) {
  const { message } = refusalCodes[code];
  const detail = details[code];
  return { code, message, request_id: exampleIds.request, ...(detail && { detail }) };
}

export const completedEvent: z.input<typeof projectEvent> = {
  id: 'evt_0198c0de-0000-5000-8000-000000000008',
  version: 1,
  type: 'inventory.refresh.completed',
  occurred_at: '2026-01-15T10:00:21.000Z',
  project_id: exampleIds.project,
  data: {
    refresh_id: exampleIds.refresh,
    state: 'completed',
    outcome: 'complete_changed',
    scope: exampleScope,
    revision_id: exampleIds.revision,
    watch_id: null,
  },
  links: {
    refresh: refreshLink(exampleIds.refresh),
    current: currentPath(exampleScope),
    changes: changesPath(exampleScope, exampleBefore),
  },
};

/** An event of each type, as it is sent; of a test with its endpoint. */
export const exampleEvents: Readonly<Record<string, object>> = {
  'inventory.refresh.completed': completedEvent,
  'inventory.watch.paused': {
    ...completedEvent,
    type: 'inventory.watch.paused',
    data: { watch_id: exampleIds.watch, scope: exampleScope, reason: 'insufficient_funds' },
    links: { watch: watchLink(exampleIds.project, exampleScope) },
  } satisfies z.input<typeof projectEvent>,
  'account.balance.low': {
    ...completedEvent,
    type: 'account.balance.low',
    data: { available: 480, threshold: 500 },
    links: { account: '/v2/account' },
  } satisfies z.input<typeof projectEvent>,
  [webhookPingType]: {
    ...completedEvent,
    type: webhookPingType,
    data: { endpoint_id: exampleIds.webhookEndpoint },
    links: {},
  } satisfies z.input<typeof webhookPingEvent>,
};
