import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import { isoTime } from '@inventory/runtime/clock';
import {
  newAccountId,
  newProjectId,
  newRefreshId,
  newRequestId,
} from '@inventory/testkit/builders';
import type { Refresh } from '../src/saga/refresh.domain.ts';

export const requestedAtMs = Date.UTC(2026, 0, 1);

/** A refresh as it is right after its insert; a test names only what it is about. */
export function acceptedRefresh(overrides: Partial<Refresh> = {}): Refresh {
  return {
    refreshId: newRefreshId(),
    version: 1,
    phase: 'accepted',
    accountId: newAccountId(),
    projectId: newProjectId(),
    requestId: newRequestId(),
    idempotencyKey: null,
    fingerprint: 'f'.repeat(64),
    watchId: null,
    scope: { platform_id: '76561190000000000', app_id: 730, context_id: 2 },
    language: 'english',
    maxCredits: 125,
    freshness: null,
    expectedPages: null,
    waitingId: 'gateway-1:req',
    requestedAtMs,
    queueDeadlineMs: requestedAtMs + 30 * 60_000,
    retryAfterSeconds: 1,
    collectDeadlineMs: null,
    completedAtMs: null,
    refusal: null,
    acceptance: null,
    cancelRequested: false,
    outcome: null,
    observedAssets: null,
    revisionId: null,
    previousRevisionId: null,
    observedAtMs: null,
    billing: {
      state: 'reserved',
      disposition: null,
      asset: 'credits',
      reserved: 0,
      charged: null,
      released: null,
    },
    eventAppended: false,
    scan: null,
    trace: {},
    ...overrides,
  };
}

/** What the ledger records of its reservation. */
export function holdOf(refresh: Refresh): BillingOutcome {
  return {
    command_id: `reserve:${refresh.refreshId}`,
    account_id: refresh.accountId,
    project_id: refresh.projectId,
    refresh_id: refresh.refreshId,
    request_id: null,
    kind: 'reserve',
    result: 'applied',
    refusal: null,
    seq: 1,
    at: isoTime(requestedAtMs),
    asset: 'credits',
    product_code: 'platform.inventory.refresh.v1',
    price_version: 1,
    amount_reserved: 125,
    amount_charged: 0,
    amount_released: 0,
    disposition: null,
    balance: { total: 1_000, held: 125, available: 875 },
  };
}
