import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import type { RefreshId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { AcceptedReservation, RefreshDecision } from './request-refresh.ts';

/** Text of the header in the reference. */
export const retryAfterText = 'Seconds after which to read the status again; absent once terminal.';

/** Null, and no header, once the refresh is terminal. */
export function retryAfterHeader(seconds: number | null): Record<string, string> {
  return seconds === null ? {} : { 'Retry-After': String(seconds) };
}

interface Acceptance extends Pick<AcceptedReservation, 'creditsReserved' | 'units'> {
  readonly refreshId: RefreshId;
  readonly scope: InventoryKey;
  readonly requestedAt: string;
  readonly deadlineAt: string;
}

/** The record of a refresh at its acceptance, whatever its present state. */
export function toWireAcceptedRecord(acceptance: Acceptance): RefreshRecord {
  return {
    refresh_id: acceptance.refreshId,
    scope: acceptance.scope,
    state: 'queued',
    requested_at: acceptance.requestedAt,
    completed_at: null,
    deadline_at: acceptance.deadlineAt,
    outcome: null,
    revision_id: null,
    served_from: 'scan',
    verified_at: null,
    watch_id: null,
    billing_state: 'reserved',
    billing_disposition: null,
    billing: {
      state: 'reserved',
      disposition: null,
      credits_reserved: acceptance.creditsReserved,
      credits_charged: null,
      credits_released: null,
      ...(acceptance.units === null ? {} : unitsHeld(acceptance.units.reserved)),
    },
  };
}

/** The record of a refresh that a saved observation answered. */
export function toWireSavedRecord(
  saved: Extract<RefreshDecision, { result: 'saved' }>,
  scope: InventoryKey,
): RefreshRecord {
  const billing = { state: 'finalized', disposition: 'finalize_saved' } as const;
  return {
    refresh_id: saved.refreshId,
    scope,
    state: 'completed',
    requested_at: saved.requestedAt,
    completed_at: saved.completedAt,
    deadline_at: null,
    outcome: 'complete_unchanged',
    revision_id: saved.revisionId,
    served_from: 'saved',
    verified_at: saved.verifiedAt,
    watch_id: null,
    billing_state: billing.state,
    billing_disposition: billing.disposition,
    billing: { ...billing, credits_reserved: 0, credits_charged: 0, credits_released: 0 },
  };
}

function unitsHeld(reserved: number) {
  return {
    funding: 'subscription',
    units_reserved: reserved,
    units_charged: null,
    units_released: null,
  } as const;
}
