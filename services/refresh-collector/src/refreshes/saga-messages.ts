import { billingCommandId } from '@inventory/contracts/messages/billing';
import { acceptanceOf } from '@inventory/contracts/messages/refresh';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
import { isoTime } from '@inventory/runtime/clock';
import { pagesInPlace } from './recorded-scan.domain.ts';
import { isServedFromSaved, productOf, type Refresh, verifiedAtMs } from './refresh.domain.ts';
import type { StagedPageRecord } from './refresh-mapping.ts';
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
      return [release(refresh)];
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

const owner = (refresh: Refresh) => ({
  account_id: refresh.accountId,
  project_id: refresh.projectId,
  refresh_id: refresh.id,
});

function reserve(refresh: Refresh): OutgoingMessage {
  const id = billingCommandId.reserve(refresh.id);
  return {
    type: 'billing.reserve.v1',
    id,
    ...(refresh.waitingId === null ? {} : { waitingId: refresh.waitingId }),
    body: {
      ...owner(refresh),
      command_id: id,
      request_id: refresh.requestId,
      product_code: productOf(refresh),
      max_credits: refresh.maxCredits,
      ...pendingTimes(refresh),
    },
  };
}

/** What an acceptance says of the time ahead. */
function pendingTimes({ queueDeadlineMs, retryAfterSeconds }: Refresh) {
  return { deadline_at: isoTime(queueDeadlineMs), retry_after_seconds: retryAfterSeconds };
}

/** Releases an orphaned hold; the ids name its owner. */
export function release(
  of: Pick<Refresh, 'id' | 'accountId' | 'projectId'>,
): Extract<OutgoingMessage, { type: 'billing.release.v1' }> {
  const id = billingCommandId.release(of.id);
  return {
    type: 'billing.release.v1',
    id,
    body: {
      command_id: id,
      account_id: of.accountId,
      project_id: of.projectId,
      refresh_id: of.id,
    },
  };
}

function settle(refresh: Refresh): OutgoingMessage {
  const id = billingCommandId.settle(refresh.id);
  invariant(refresh.outcome !== null, 'a refresh is settled by its outcome');
  return {
    type: 'billing.settle.v1',
    id,
    body: {
      ...owner(refresh),
      command_id: id,
      outcome: refresh.outcome,
      observed_assets: refresh.observedAssets,
    },
  };
}

function completeScan(refresh: Refresh, pages: readonly StagedPageRecord[]): OutgoingMessage {
  const { scan } = refresh;
  invariant(scan?.completedAtMs != null, 'only a completed scan has a manifest');
  invariant(pages.length === scan.pages, 'every page of the scan is recorded');
  return {
    type: 'revision.completed.v1',
    id: `completed:${refresh.id}`,
    body: {
      scan_id: refresh.id,
      refresh_id: refresh.id,
      source: 'refresh',
      account_id: refresh.accountId,
      scope: refresh.scope,
      language: refresh.language,
      sequence: scan.sequence,
      scan_window: {
        started_at: isoTime(scan.startedAtMs),
        completed_at: isoTime(scan.completedAtMs),
      },
      reported_total_count: scan.reportedTotalCount ?? 0,
      pages: pagesInPlace(pages).map(({ page, epoch, chunks }) => ({
        page,
        epoch,
        chunks: [...chunks],
      })),
    },
  };
}

function abandonScan(refresh: Refresh): OutgoingMessage {
  return {
    type: 'revision.abandoned.v1',
    id: `abandoned:${refresh.id}`,
    body: { scan_id: refresh.id, refresh_id: refresh.id },
  };
}

function announce(refresh: Refresh): OutgoingMessage {
  invariant(refresh.outcome !== null, 'a completed refresh has an outcome');
  invariant(refresh.completedAtMs !== null, 'a completed refresh has a completion time');
  return {
    type: 'refresh.completed.v1',
    id: `refresh-completed:${refresh.id}`,
    body: {
      ...owner(refresh),
      outcome: refresh.outcome,
      revision_id: refresh.revisionId,
      ...(refresh.previousRevisionId === null
        ? {}
        : { previous_revision_id: refresh.previousRevisionId }),
      completed_at: isoTime(refresh.completedAtMs),
      scope: refresh.scope,
      ...(refresh.watchId === null ? {} : { watch_id: refresh.watchId }),
    },
  };
}

/** The reply that a gateway waits for; none where it does not. */
function decisionReply(refresh: Refresh): OutgoingMessage[] {
  const { id, waitingId, acceptance, refusal } = refresh;
  if (waitingId === null) return [];
  const reply = { waiting_id: waitingId, refresh_id: id };
  const type = 'reply.refresh-decision.v1';
  if (refusal !== null) {
    return [{ type, id: `decision:${id}`, body: { ...reply, decision: 'refused', refusal } }];
  }
  if (acceptance === null) return [];
  if (isServedFromSaved(refresh)) {
    return [{ type, id: `decision:${id}`, body: { ...reply, ...savedDecision(refresh) } }];
  }
  const terms = { ...acceptanceOf(acceptance), ...pendingTimes(refresh) };
  return [{ type, id: `decision:${id}`, body: { ...reply, decision: 'accepted', ...terms } }];
}

function savedDecision(refresh: Refresh) {
  const { acceptance, revisionId, completedAtMs } = refresh;
  const verifiedMs = verifiedAtMs(refresh);
  invariant(acceptance !== null && revisionId !== null, 'an answer from what is saved states it');
  invariant(completedAtMs !== null && verifiedMs !== null, 'it is completed as it is made');
  return {
    decision: 'saved',
    price_version: acceptance.priceVersion,
    revision_id: revisionId,
    verified_at: isoTime(verifiedMs),
    completed_at: isoTime(completedAtMs),
  } as const;
}
