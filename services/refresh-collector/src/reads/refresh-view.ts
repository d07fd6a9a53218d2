import { changesPath } from '@inventory/contracts/http/changes';
import { currentPath } from '@inventory/contracts/http/current';
import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import { acceptanceOf } from '@inventory/contracts/messages/refresh';
import type { Estimate } from '../plan/status-estimate.domain.ts';
import {
  deadlineOf,
  isServedFromSaved,
  isTerminal,
  productOf,
  type Refresh,
  shownState,
  verifiedTime,
} from '../saga/refresh.domain.ts';

/** The record as customers see it; a refused attempt is shown as pending. */
export function refreshRecordOf(refresh: Refresh, settleGraceMs: number): RefreshRecord {
  const { billing } = refresh;
  const done = refresh.phase === 'completed';
  return {
    ...refresh,
    state: shownState(refresh.phase) ?? 'accepted',
    deadlineAtMs: deadlineOf(refresh, settleGraceMs),
    // The outcome may be decided before it is settled; billing is part of completion.
    outcome: done ? refresh.outcome : null,
    ...(refresh.revisionId === null ? {} : { links: linksOf(refresh) }),
    servedFrom: isServedFromSaved(refresh) ? 'saved' : 'scan',
    verifiedAtMs: verifiedTime(refresh),
    productCode: productOf(refresh),
    billingState: billing.state,
    billingDisposition: billing.disposition,
    billing: shownBilling(billing),
  };
}

/** Where what it saved, and what changed with it, is read. */
function linksOf({ scope, previousRevisionId }: Refresh): NonNullable<RefreshRecord['links']> {
  return {
    current: currentPath(scope),
    ...(previousRevisionId === null ? {} : { changes: changesPath(scope, previousRevisionId) }),
  };
}

function shownBilling(billing: Refresh['billing']): RefreshRecord['billing'] {
  const { state, disposition, reserved, charged, released } = billing;
  const basis = { state, disposition };
  if (billing.asset === 'credits') {
    return {
      ...basis,
      creditsReserved: reserved,
      creditsCharged: charged,
      creditsReleased: released,
    };
  }
  return {
    ...basis,
    creditsReserved: 0,
    creditsCharged: charged === null ? null : 0,
    creditsReleased: released === null ? null : 0,
    funding: 'subscription',
    unitsReserved: reserved,
    unitsCharged: charged,
    unitsReleased: released,
  };
}

export function refreshViewOf(
  refresh: Refresh,
  estimate: Estimate,
  settleGraceMs: number,
): RefreshView {
  const isPending = !isTerminal(refresh.phase);
  return {
    ...refresh,
    decision: decisionOf(refresh),
    acceptance: refresh.acceptance && acceptanceOf(refresh.acceptance),
    record: refreshRecordOf(refresh, settleGraceMs),
    retryAfterSeconds: isPending ? estimate.retryAfterSeconds : null,
    expectedCompletedAtMs: isPending ? estimate.expectedCompletedMs : null,
  };
}

function decisionOf(refresh: Refresh): RefreshView['decision'] {
  if (refresh.phase === 'accepted') return 'pending';
  return refresh.phase === 'refused' ? 'refused' : 'accepted';
}
