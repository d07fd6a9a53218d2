import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import {
  newAccountId,
  newProjectId,
  newRefreshId,
  newRequestId,
} from '@inventory/testkit/builders';
import { newRefresh } from '../src/saga/new-refresh.domain.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';

export const requestedAtMs = Date.UTC(2026, 0, 1);

/** A refresh as it is right after its insert; a test names only what it is about. */
export function acceptedRefresh(overrides: Partial<Refresh> = {}): Refresh {
  const request = {
    refreshId: newRefreshId(),
    accountId: newAccountId(),
    projectId: newProjectId(),
    credentialId: null,
    requestId: newRequestId(),
    idempotencyKey: null,
    fingerprint: 'f'.repeat(64),
    watchId: null,
    scope: { platform_id: '76561190000000000', app_id: 730, context_id: 2 },
    language: 'english',
    maxCredits: 125,
    freshness: null,
    requestedAtMs,
  } as const;
  const refresh = newRefresh(request, 'gateway-1:req', {}, requestedAtMs + 30 * 60_000);
  return { ...refresh, ...overrides };
}

/** What the ledger records of its reservation. */
export function holdOf({ refreshId, accountId, projectId }: Refresh): BillingOutcome {
  return {
    ...{ commandId: `reserve:${refreshId}`, accountId, projectId, refreshId, requestId: null },
    kind: 'reserve',
    result: 'applied',
    refusal: null,
    seq: 1,
    atMs: requestedAtMs,
    asset: 'credits',
    productCode: 'platform.inventory.refresh.v1',
    priceVersion: 1,
    amountReserved: 125,
    amountCharged: 0,
    amountReleased: 0,
    disposition: null,
    balance: { total: 1_000, held: 125, available: 875 },
    creditsAvailable: null,
  };
}
