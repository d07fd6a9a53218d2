import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import type { RefreshId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { AcceptedReservation } from './request-refresh.ts';

export interface Acceptance extends Pick<AcceptedReservation, 'creditsReserved' | 'units'> {
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

function unitsHeld(reserved: number) {
  return {
    funding: 'subscription',
    units_reserved: reserved,
    units_charged: null,
    units_released: null,
  } as const;
}
