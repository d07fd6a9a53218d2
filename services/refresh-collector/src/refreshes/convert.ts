import { changesPath } from '@inventory/contracts/http/changes';
import { currentPath } from '@inventory/contracts/http/current';
import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import { acceptanceOf } from '@inventory/contracts/messages/refresh';
import { isoTime } from '@inventory/runtime/clock';
import {
  deadlineOf,
  isServedFromSaved,
  isTerminal,
  productOf,
  type Refresh,
  shownState,
  verifiedAtMs,
} from './refresh.domain.ts';
import type { Estimate } from './status-estimate.domain.ts';

const isoOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : isoTime(timeMs);

/** The record as customers see it; a refused attempt is shown as pending. */
export function toWireRecord(refresh: Refresh, settleGraceMs: number): RefreshRecord {
  const { billing } = refresh;
  const done = refresh.phase === 'completed';
  return {
    refresh_id: refresh.id,
    scope: refresh.scope,
    state: shownState(refresh.phase) ?? 'accepted',
    requested_at: isoTime(refresh.requestedAtMs),
    completed_at: isoOrNull(refresh.completedAtMs),
    deadline_at: isoOrNull(deadlineOf(refresh, settleGraceMs)),
    // The outcome may be decided before it is settled; billing is part of completion.
    outcome: done ? refresh.outcome : null,
    revision_id: refresh.revisionId,
    ...(refresh.revisionId === null ? {} : { links: linksOf(refresh) }),
    served_from: isServedFromSaved(refresh) ? 'saved' : 'scan',
    verified_at: isoOrNull(verifiedAtMs(refresh)),
    watch_id: refresh.watchId,
    product_code: productOf(refresh),
    billing_state: billing.state,
    billing_disposition: billing.disposition,
    billing: toWireBilling(billing),
  };
}

/** Where what it saved, and what changed with it, is read. */
function linksOf({ scope, previousRevisionId }: Refresh): NonNullable<RefreshRecord['links']> {
  return {
    current: currentPath(scope),
    ...(previousRevisionId === null ? {} : { changes: changesPath(scope, previousRevisionId) }),
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

export function toWireView(
  refresh: Refresh,
  estimate: Estimate,
  settleGraceMs: number,
): RefreshView {
  const isPending = !isTerminal(refresh.phase);
  return {
    account_id: refresh.accountId,
    project_id: refresh.projectId,
    fingerprint: refresh.fingerprint,
    decision: decisionOf(refresh),
    refusal: refresh.refusal,
    acceptance: refresh.acceptance && acceptanceOf(refresh.acceptance),
    record: toWireRecord(refresh, settleGraceMs),
    retry_after_seconds: isPending ? estimate.retryAfterSeconds : null,
    expected_completed_at: isPending ? isoOrNull(estimate.expectedCompletedMs) : null,
  };
}

function decisionOf(refresh: Refresh): RefreshView['decision'] {
  if (refresh.phase === 'accepted') return 'pending';
  return refresh.phase === 'refused' ? 'refused' : 'accepted';
}
