import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import type { RefreshRefusal, RefreshView } from '@inventory/contracts/internal/refresh';
import type { BillingOutcome } from '@inventory/contracts/messages/billing-outcome';
import { isoTime } from '@inventory/runtime/clock';
import {
  deadlineOf,
  isTerminal,
  type Refresh,
  type Refusal,
  shownState,
} from './domain/refresh.ts';
import type { Fact } from './domain/refresh-saga.ts';

const isoOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : isoTime(timeMs);

export function toWireRefusal(refusal: Refusal): RefreshRefusal {
  switch (refusal.code) {
    case 'outstanding_limit_exceeded':
      return {
        code: refusal.code,
        limit: refusal.limit,
        retry_after_seconds: refusal.retryAfterSeconds,
      };
    case 'product_unavailable':
      return {
        code: refusal.code,
        reason: refusal.reason,
        retry_after_seconds: refusal.retryAfterSeconds,
      };
    default:
      return refusal;
  }
}

/** The record as customers see it; a refused attempt is shown as the pending one it was. */
export function toWireRecord(refresh: Refresh): RefreshRecord {
  const { billing } = refresh;
  const done = refresh.phase === 'completed';
  return {
    refresh_id: refresh.id,
    scope: refresh.scope,
    state: shownState(refresh.phase) ?? 'accepted',
    requested_at: isoTime(refresh.requestedAtMs),
    completed_at: isoOrNull(refresh.completedAtMs),
    deadline_at: isoOrNull(deadlineOf(refresh)),
    // The outcome may be decided before it is settled; billing is part of completion.
    outcome: done ? refresh.outcome : null,
    revision_id: refresh.revisionId,
    billing_state: billing.state,
    billing_disposition: billing.disposition,
    billing: {
      state: billing.state,
      disposition: billing.disposition,
      credits_reserved: billing.creditsReserved,
      credits_charged: billing.creditsCharged,
      credits_released: billing.creditsReleased,
    },
  };
}

export function toWireView(refresh: Refresh, retryAfterSeconds: number | null): RefreshView {
  return {
    account_id: refresh.accountId,
    project_id: refresh.projectId,
    fingerprint: refresh.fingerprint,
    decision: decisionOf(refresh),
    refusal: refresh.refusal && toWireRefusal(refresh.refusal),
    acceptance: refresh.acceptance && {
      price_version: refresh.acceptance.priceVersion,
      credits_reserved: refresh.acceptance.creditsReserved,
    },
    record: toWireRecord(refresh),
    retry_after_seconds: isTerminal(refresh.phase) ? null : retryAfterSeconds,
  };
}

function decisionOf(refresh: Refresh): RefreshView['decision'] {
  if (refresh.phase === 'accepted') return 'pending';
  return refresh.phase === 'refused' ? 'refused' : 'accepted';
}

/** What a billing outcome tells about its refresh; null when it is about something else. */
export function factOfBillingOutcome(outcome: BillingOutcome, nowMs: number): Fact | null {
  if (outcome.kind === 'reserve') {
    return outcome.result === 'applied'
      ? {
          fact: 'reserved',
          priceVersion: outcome.price_version ?? 0,
          credits: outcome.amount_reserved,
        }
      : { fact: 'reserve_refused', refusal: fromWireReserveRefusal(outcome.refusal) };
  }
  const resolves = outcome.kind === 'settle' || outcome.kind === 'release';
  if (!resolves || outcome.result !== 'applied') return null;
  return {
    fact: 'settled',
    disposition: outcome.disposition ?? 'release',
    charged: outcome.amount_charged,
    released: outcome.amount_released,
    atMs: nowMs,
  };
}

/** Codes that only a hold made impossible beforehand can have are a cancel to the customer. */
function fromWireReserveRefusal(refusal: BillingOutcome['refusal']): Refusal {
  switch (refusal?.code) {
    case 'insufficient_credits':
    case 'insufficient_units':
    case 'spend_cap_reached':
      return {
        code: refusal.code,
        required: refusal.required ?? 0,
        available: refusal.available ?? 0,
      };
    default:
      return { code: 'cancelled' };
  }
}
