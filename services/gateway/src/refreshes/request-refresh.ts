import { createHash } from 'node:crypto';
import type { AccountId, ProjectId, RefreshId, RequestId } from '@inventory/contracts/ids';
import { acceptanceOf, type RefreshView } from '@inventory/contracts/internal/refresh';
import type { MessageBody } from '@inventory/contracts/messages';
import { heldBy } from '@inventory/contracts/messages/billing-outcome';
import type { Refusal } from '@inventory/contracts/refusal';
import type { ReceivedMessage } from '@inventory/messaging/bus';
import { invariant, unreachable } from '@inventory/runtime/bug';
import { type Clock, elapsedSince, isoTime, monotonicNow } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { Deadlines } from '../deadlines.ts';
import { decisionWaited } from '../metrics.ts';
import { fingerprintText, type RefreshInputs } from './refresh-fingerprint.domain.ts';

export interface RefreshRequest extends RefreshInputs {
  readonly requestId: RequestId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly idempotencyKey: string | null;
}

/** The reservation at acceptance, with its price version. */
export interface AcceptedReservation {
  readonly priceVersion: number;
  /** 0 where units fund the refresh. */
  readonly creditsReserved: number;
  /** Null where credits fund the refresh. */
  readonly units: { readonly reserved: number; readonly remaining: number } | null;
}

export type RefreshDecision =
  | ({
      readonly result: 'accepted';
      readonly refreshId: RefreshId;
      readonly requestedAt: string;
      readonly deadlineAt: string;
      readonly retryAfterSeconds: number;
    } & AcceptedReservation)
  | ({ readonly result: 'replayed'; readonly view: RefreshView } & AcceptedReservation)
  | { readonly result: 'refused'; readonly refusal: Refusal };

export interface RequestRefreshDeps {
  readonly commands: RequestReplyClient;
  readonly collector: { findRefresh(refreshId: RefreshId): Promise<RefreshView | null> };
  readonly pendingCancels: {
    insertCancel(cancel: {
      readonly refreshId: RefreshId;
      readonly accountId: AccountId;
      readonly projectId: ProjectId;
      readonly requestedAtMs: number;
    }): Promise<void>;
  };
  readonly wakeCancels: () => void;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly decisionTimeoutMs: number;
  readonly deadlines: Pick<Deadlines, 'undecidedRefreshMs'>;
}

type Decision = MessageBody<'reply.refresh-decision.v1'>;

const winnerReadEveryMs = 100;

const refused = (refusal: Refusal): RefreshDecision => ({ result: 'refused', refusal });
/** Nothing was sent; a key stays unused. */
const notSent: Refusal = { code: 'service_unavailable', retry_after_seconds: 1 };
/** The first request with the key is still undecided. */
const inProgress: Refusal = { code: 'idempotency_in_progress', retry_after_seconds: 1 };
/** Sent and undecided. Without a key the refresh is named and cancelled. */
const undecided = (refreshId?: RefreshId): Refusal => ({
  code: 'service_unavailable',
  detail: { outcome: 'unknown', ...(refreshId === undefined ? {} : { refresh_id: refreshId }) },
  retry_after_seconds: 1,
});

/**
 * Sends `refresh.request` and waits for the reply. Every attempt has an id of its own; the
 * collector's insert alone decides which attempt a key belongs to.
 */
export async function requestRefresh(
  deps: RequestRefreshDeps,
  request: RefreshRequest,
): Promise<RefreshDecision> {
  const refreshId = deps.identifiers.uuidV7();
  const requestedAtMs = deps.clock.now();
  const fingerprint = createHash('sha256').update(fingerprintText(request)).digest('hex');
  const startMs = monotonicNow();
  const command = commandOf(request, refreshId, requestedAtMs, fingerprint);
  const reply = await deps.commands.request(command, decisionIn, deps.decisionTimeoutMs);
  decisionWaited(elapsedSince(startMs), reply.result);
  switch (reply.result) {
    case 'not_sent':
      deps.logger.warn({ cause: reply.cause }, 'refresh not requested');
      return refused(notSent);
    case 'unknown':
      deps.logger.warn(
        { err: reply.cause, refresh_id: refreshId },
        'no decision on a refresh in time',
      );
      return await giveUp(deps, request, refreshId, requestedAtMs);
    case 'reply':
      break;
    default:
      return unreachable(reply);
  }
  const { body } = reply;
  invariant(body.refresh_id === refreshId, 'the decision is on another refresh');
  switch (body.decision) {
    case 'accepted':
      return {
        result: 'accepted',
        refreshId,
        requestedAt: isoTime(requestedAtMs),
        ...reservationOf(body),
        deadlineAt: body.deadline_at,
        retryAfterSeconds: body.retry_after_seconds,
      };
    case 'refused':
      return refused(body.refusal);
    case 'duplicate':
      return await readWinner(deps, body.winner_refresh_id, fingerprint);
    default:
      return unreachable(body);
  }
}

/**
 * A published hold is the acceptance: the hold is the last step before it, so nothing can refuse
 * the refresh after it, and one hop is saved. All other outcomes of the ledger are decided by the
 * collector.
 */
function decisionIn(reply: ReceivedMessage): Decision | undefined {
  if (reply.type === 'reply.refresh-decision.v1') return reply.body;
  if (reply.type !== 'reply.billing-outcome.v1') return undefined;
  const { waiting_id, outcome, deadline_at, retry_after_seconds } = reply.body;
  if (outcome?.kind !== 'reserve' || outcome.result !== 'applied') return undefined;
  if (outcome.refresh_id === null) return undefined;
  if (deadline_at === undefined || retry_after_seconds === undefined) return undefined;
  return {
    waiting_id,
    refresh_id: outcome.refresh_id,
    decision: 'accepted',
    ...acceptanceOf(heldBy(outcome)),
    deadline_at,
    retry_after_seconds,
  };
}

function commandOf(
  request: RefreshRequest,
  refreshId: RefreshId,
  requestedAtMs: number,
  fingerprint: string,
) {
  return {
    type: 'refresh.request.v1',
    id: `request:${refreshId}`,
    waitingId: `request:${refreshId}`,
    body: {
      refresh_id: refreshId,
      account_id: request.accountId,
      project_id: request.projectId,
      request_id: request.requestId,
      idempotency_key: request.idempotencyKey,
      fingerprint,
      scope: request.scope,
      language: request.language,
      max_credits: request.maxCredits,
      requested_at: isoTime(requestedAtMs),
    },
  } as const;
}

/**
 * Responds with `outcome: "unknown"`. With a key the client can find the refresh again; without one
 * the refresh must not start, so its cancel is durable before the response.
 */
async function giveUp(
  deps: RequestRefreshDeps,
  request: RefreshRequest,
  refreshId: RefreshId,
  requestedAtMs: number,
): Promise<RefreshDecision> {
  if (request.idempotencyKey !== null) return refused(undecided());
  const { accountId, projectId } = request;
  try {
    await deps.pendingCancels.insertCancel({ refreshId, accountId, projectId, requestedAtMs });
    deps.wakeCancels();
  } catch (error) {
    // Kafka and MongoDB are both unavailable: the client has the id and can cancel the refresh.
    deps.logger.error({ err: error, refresh_id: refreshId }, 'undecided refresh not cancelled');
  }
  return refused(undecided(refreshId));
}

/** Another attempt holds the key: its decision is the response, if the inputs are equal. */
async function readWinner(
  deps: RequestRefreshDeps,
  winnerId: RefreshId,
  fingerprint: string,
): Promise<RefreshDecision> {
  const startMs = monotonicNow();
  while (true) {
    const view = await deps.collector.findRefresh(winnerId);
    // A refused attempt releases its key and is deleted later.
    if (view === null) return refused(inProgress);
    if (view.fingerprint !== fingerprint) return refused({ code: 'idempotency_conflict' });
    if (view.decision === 'accepted') return replayOf(view);
    if (view.refusal !== null) return refused(view.refusal);
    const nextReadMs = elapsedSince(startMs) + winnerReadEveryMs;
    if (nextReadMs > deps.deadlines.undecidedRefreshMs) return refused(inProgress);
    await pause(winnerReadEveryMs);
  }
}

function replayOf(view: RefreshView): RefreshDecision {
  invariant(view.acceptance !== null, 'the accepted refresh has no acceptance');
  return { result: 'replayed', view, ...reservationOf(view.acceptance) };
}

function reservationOf(accepted: NonNullable<RefreshView['acceptance']>): AcceptedReservation {
  const { units_reserved: reserved, units_remaining: remaining = 0 } = accepted;
  return {
    priceVersion: accepted.price_version,
    creditsReserved: accepted.credits_reserved,
    units: reserved === undefined ? null : { reserved, remaining },
  };
}
