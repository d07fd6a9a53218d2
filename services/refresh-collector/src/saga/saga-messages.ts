import { billingCommandId } from '@inventory/contracts/messages/billing';
import { acceptanceOf } from '@inventory/contracts/messages/refresh';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
import { pagesInOrder } from './recorded-scan.domain.ts';
import {
  isServedFromSaved,
  productOf,
  type Refresh,
  type Reservation,
  verifiedTime,
} from './refresh.domain.ts';
import type { StagedPageRecord } from './refresh-document.ts';
import type { Effect } from './refresh-saga.domain.ts';

/**
 * The messages of effects. They are functions of the refresh alone: a resent command equals the
 * first one. `pages` are needed for `complete_scan` only.
 */
export function sagaMessages(
  refresh: Refresh,
  effects: readonly Effect[],
  pages: readonly StagedPageRecord[],
): OutgoingMessage[] {
  return effects.flatMap((effect) => messagesOf(refresh, effect, pages));
}

function messagesOf(
  refresh: Refresh,
  effect: Effect,
  pages: readonly StagedPageRecord[],
): OutgoingMessage[] {
  switch (effect) {
    case 'reserve':
      return [reserve(refresh)];
    case 'release':
      return [releaseHold(refresh.accountId, refresh.projectId, refresh.refreshId)];
    case 'settle':
      return [settle(refresh)];
    case 'complete_scan':
      return [completeScan(refresh, pages)];
    case 'abandon_scan':
      return [abandonScan(refresh)];
    case 'announce':
      return [announce(refresh)];
    case 'reply_accepted':
    case 'reply_refused':
      return decisionReply(refresh);
  }
}

function reserve(refresh: Refresh): OutgoingMessage {
  const { accountId, projectId, credentialId, refreshId } = refresh;
  const commandId = billingCommandId.reserve(refreshId);
  const { requestId, maxCredits, queueDeadlineMs: deadlineAtMs, retryAfterSeconds } = refresh;
  const productCode = productOf(refresh);
  const held = { requestId, productCode, maxCredits, deadlineAtMs, retryAfterSeconds };
  return {
    type: 'billing.reserve.v1',
    id: commandId,
    ...(refresh.waitingId === null ? {} : { waitingId: refresh.waitingId }),
    body: { commandId, accountId, projectId, credentialId, refreshId, ...held },
  };
}

/** Releases a hold of a refresh that was refused or does not exist. */
export function releaseHold(
  accountId: Refresh['accountId'],
  projectId: Refresh['projectId'],
  refreshId: Refresh['refreshId'],
): Extract<OutgoingMessage, { type: 'billing.release.v1' }> {
  const commandId = billingCommandId.release(refreshId);
  const body = { commandId, accountId, projectId, refreshId };
  return { type: 'billing.release.v1', id: commandId, body };
}

function settle(refresh: Refresh): OutgoingMessage {
  const { accountId, projectId, refreshId, outcome, observedAssets } = refresh;
  const commandId = billingCommandId.settle(refreshId);
  invariant(outcome !== null, 'a refresh is settled by its outcome');
  return {
    type: 'billing.settle.v1',
    id: commandId,
    body: { commandId, accountId, projectId, refreshId, outcome, observedAssets },
  };
}

function completeScan(refresh: Refresh, pages: readonly StagedPageRecord[]): OutgoingMessage {
  const { refreshId, accountId, scope, language, scan } = refresh;
  invariant(scan?.completedAtMs != null, 'only a completed scan has a manifest');
  invariant(pages.length === scan.pages, 'every page of the scan is recorded');
  const { sequence, startedAtMs, completedAtMs, reportedTotalCount } = scan;
  return {
    type: 'revision.completed.v1',
    id: `completed:${refreshId}`,
    body: {
      scanId: refreshId,
      refreshId,
      source: 'refresh',
      accountId,
      scope,
      language,
      sequence,
      scanWindow: { startedAtMs, completedAtMs },
      reportedTotalCount: reportedTotalCount ?? 0,
      pages: pagesInOrder(pages).map(({ page, epoch, chunks }) => ({ page, epoch, chunks })),
    },
  };
}

function abandonScan({ refreshId }: Refresh): OutgoingMessage {
  return {
    type: 'revision.abandoned.v1',
    id: `abandoned:${refreshId}`,
    body: { scanId: refreshId, refreshId },
  };
}

function announce(refresh: Refresh): OutgoingMessage {
  const { outcome, completedAtMs } = refresh;
  invariant(outcome !== null, 'a completed refresh has an outcome');
  invariant(completedAtMs !== null, 'a completed refresh has a completion time');
  return {
    type: 'refresh.completed.v1',
    id: `refresh-completed:${refresh.refreshId}`,
    body: { ...refresh, outcome, completedAtMs },
  };
}

/** The reply that a gateway waits for; none where it does not. */
function decisionReply(refresh: Refresh): OutgoingMessage[] {
  const { refreshId, waitingId } = refresh;
  const decision = decisionOn(refresh);
  if (waitingId === null || decision === null) return [];
  const id = `decision:${refreshId}`;
  const body = { ...decision, waitingId, refreshId };
  return [{ type: 'reply.refresh-decision.v1', id, body }];
}

/** Null where it is not decided. */
function decisionOn(refresh: Refresh) {
  const { acceptance, refusal, queueDeadlineMs: deadlineAtMs, retryAfterSeconds } = refresh;
  if (refusal !== null) return { decision: 'refused', refusal } as const;
  if (acceptance === null) return null;
  if (isServedFromSaved(refresh)) return savedDecision(refresh, acceptance);
  const terms = { ...acceptanceOf(acceptance), deadlineAtMs, retryAfterSeconds };
  return { decision: 'accepted', ...terms } as const;
}

function savedDecision(refresh: Refresh, { priceVersion }: Reservation) {
  const { revisionId, completedAtMs } = refresh;
  const verifiedAtMs = verifiedTime(refresh);
  invariant(revisionId !== null, 'a reply from what is saved states it');
  invariant(completedAtMs !== null && verifiedAtMs !== null, 'it is completed as it is made');
  return { decision: 'saved', priceVersion, revisionId, verifiedAtMs, completedAtMs } as const;
}
