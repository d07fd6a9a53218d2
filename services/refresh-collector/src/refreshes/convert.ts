import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import {
  acceptanceOf,
  type RefreshRefusal,
  type RefreshView,
} from '@inventory/contracts/internal/refresh';
import { type BillingOutcome, heldBy } from '@inventory/contracts/messages/billing-outcome';
import { fromIsoTime, isoTime } from '@inventory/runtime/clock';
import {
  deadlineOf,
  isTerminal,
  type Refresh,
  type Refusal,
  type SpendLimit,
  shownState,
} from './refresh.domain.ts';
import type { Fact } from './refresh-saga.domain.ts';

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
    case 'spend_cap_reached': {
      const { code, required, available, limit } = refusal;
      if (limit === null) return { code, required, available };
      const { cap, spent, resetsAtMs } = limit;
      return { code, required, available, cap, spent, resets_at: isoTime(resetsAtMs) };
    }
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
    billing: toWireBilling(billing),
  };
}

function toWireBilling(billing: Refresh['billing']): RefreshRecord['billing'] {
  const { state, disposition, reserved, charged, released } = billing;
  const basis = { state, disposition };
  if (billing.asset === 'credits') {
    return {
      ...basis,
      credits_reserved: reserved,
      credits_charged: charged,
      credits_released: released,
    };
  }
  return {
    ...basis,
    credits_reserved: 0,
    credits_charged: charged === null ? null : 0,
    credits_released: released === null ? null : 0,
    funding: 'subscription',
    units_reserved: reserved,
    units_charged: charged,
    units_released: released,
  };
}

/** What is estimated of a refresh when it is read. */
export interface Estimate {
  readonly retryAfterSeconds: number | null;
  readonly expectedCompletedMs: number | null;
}

export function toWireView(refresh: Refresh, estimate: Estimate): RefreshView {
  const isPending = !isTerminal(refresh.phase);
  return {
    account_id: refresh.accountId,
    project_id: refresh.projectId,
    fingerprint: refresh.fingerprint,
    decision: decisionOf(refresh),
    refusal: refresh.refusal && toWireRefusal(refresh.refusal),
    acceptance: refresh.acceptance && acceptanceOf(refresh.acceptance),
    record: toWireRecord(refresh),
    retry_after_seconds: isPending ? estimate.retryAfterSeconds : null,
    expected_completed_at: isPending ? isoOrNull(estimate.expectedCompletedMs) : null,
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
      ? { fact: 'reserved', reservation: heldBy(outcome) }
      : { fact: 'reserve_refused', refusal: fromWireReserveRefusal(outcome.refusal) };
  }
  const resolves = outcome.kind === 'settle' || outcome.kind === 'release';
  if (!resolves) return null;
  if (outcome.result !== 'applied') {
    return outcome.refusal?.code === 'hold_unknown' ? { fact: 'hold_lost', atMs: nowMs } : null;
  }
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
  const amounts = { required: refusal?.required ?? 0, available: refusal?.available ?? 0 };
  switch (refusal?.code) {
    case 'insufficient_credits':
    case 'insufficient_units':
      return { code: refusal.code, ...amounts };
    case 'spend_cap_reached':
      return { code: refusal.code, ...amounts, limit: fromWireLimit(refusal) };
    default:
      return { code: 'cancelled' };
  }
}

function fromWireLimit(refusal: NonNullable<BillingOutcome['refusal']>): SpendLimit | null {
  const { cap, spent, resets_at: resetsAt } = refusal;
  if (cap === undefined || spent === undefined || resetsAt === undefined) return null;
  return { cap, spent, resetsAtMs: fromIsoTime(resetsAt) };
}
