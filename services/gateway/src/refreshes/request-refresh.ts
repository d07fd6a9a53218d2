import { createHash } from 'node:crypto';
import type { RefreshId, RevisionId, WatchId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { Refusal } from '@inventory/contracts/refusal';
import { invariant, unreachable } from '@inventory/runtime/bug';
import { type Clock, elapsedSince, isoTime, monotonicNow } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { PendingCancel, PendingCancelStore } from './pending-cancel-store.ts';
import { type CommandedRefresh, commandOf, decisionIn } from './refresh-command.ts';
import { fingerprintText } from './refresh-fingerprint.domain.ts';
import { decisionWaited } from './refresh-metrics.ts';

export interface RefreshRequest extends CommandedRefresh {
  /** Rejects where the request is refused for the rate: then nothing is sent. */
  readonly counted?: Promise<void>;
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
  | {
      readonly result: 'saved';
      readonly refreshId: RefreshId;
      readonly requestedAt: string;
      readonly completedAt: string;
      readonly verifiedAt: string;
      readonly revisionId: RevisionId;
      readonly priceVersion: number;
    }
  | ({ readonly result: 'replayed'; readonly view: RefreshView } & AcceptedReservation)
  | { readonly result: 'refused'; readonly refusal: Refusal };

export interface RequestRefreshDeps {
  readonly commands: RequestReplyClient;
  readonly collector: { findRefresh(refreshId: RefreshId): Promise<RefreshView | null> };
  readonly pendingCancels: Omit<PendingCancelStore, 'cancels'>;
  readonly wakeCancels: () => void;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly decisionTimeoutMs: number;
  readonly deadlines: { readonly storeMs: number; readonly undecidedRefreshMs: number };
}

const winnerReadEveryMs = 100;

const refused = (refusal: Refusal): RefreshDecision => ({ result: 'refused', refusal });
/** Nothing was sent; a key stays unused. */
const notSent: Refusal = { code: 'service_unavailable', retry_after_seconds: 1 };
/** The first request with the key is still undecided. */
const inProgress: Refusal = { code: 'idempotency_in_progress', retry_after_seconds: 1 };
/** Sent and undecided. */
const undecided = {
  code: 'service_unavailable',
  detail: { outcome: 'unknown' },
  retry_after_seconds: 1,
} as const satisfies Refusal;

/** A run of a watch: its id is given, so that a repeated request finds the decision on the first. */
export interface RunRequest
  extends Omit<RefreshRequest, 'idempotencyKey' | 'freshness' | 'maxAgeSeconds' | 'counted'> {
  readonly refreshId: RefreshId;
  readonly watchId: WatchId;
}

export type RequestRunDeps = Pick<
  RequestRefreshDeps,
  'commands' | 'collector' | 'clock' | 'logger' | 'decisionTimeoutMs' | 'deadlines'
>;

export function requestRun(deps: RequestRunDeps, request: RunRequest): Promise<RefreshDecision> {
  const { refreshId, accountId, projectId } = request;
  const requestedAtMs = deps.clock.now();
  const run = { ...request, idempotencyKey: null, freshness: null, maxAgeSeconds: null };
  return sendAttempt(deps, run, { refreshId, accountId, projectId, requestedAtMs });
}

/**
 * Sends `refresh.request` and waits for the reply. Every attempt has an id of its own; the
 * collector's insert alone decides which attempt a key belongs to. An attempt without a key cannot
 * be found again: its cancel is durable before it is sent, and withdrawn before the response says
 * that it is accepted, so that a gateway that dies in between leaves nothing that is charged.
 */
export async function requestRefresh(
  deps: RequestRefreshDeps,
  request: RefreshRequest,
): Promise<RefreshDecision> {
  const { accountId, projectId } = request;
  const requestedAtMs = deps.clock.now();
  const attempt = { refreshId: deps.identifiers.uuidV7(), accountId, projectId, requestedAtMs };
  if (request.idempotencyKey !== null) {
    await request.counted;
    return await sendAttempt(deps, request, attempt);
  }
  const decidedByMs = requestedAtMs + deps.decisionTimeoutMs + deps.deadlines.storeMs;
  const [stored, admitted] = await Promise.allSettled([
    deps.pendingCancels.insertCancel(attempt, decidedByMs),
    request.counted,
  ]);
  if (admitted.status === 'rejected') {
    // One that is left is sent, and has no effect.
    void isWithdrawn(deps, attempt, refused(notSent));
    throw admitted.reason;
  }
  if (stored.status === 'rejected') {
    deps.logger.warn({ err: stored.reason }, 'refresh not requested');
    return refused(notSent);
  }
  const decision = await sendAttempt(deps, request, attempt);
  return isUnknown(decision) || !(await isWithdrawn(deps, attempt, decision))
    ? await cancelAttempt(deps, attempt)
    : decision;
}

async function sendAttempt(
  deps: RequestRunDeps,
  request: RefreshRequest & { readonly watchId?: WatchId },
  { refreshId, requestedAtMs }: PendingCancel,
): Promise<RefreshDecision> {
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
      return refused(undecided);
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
    case 'saved':
      return {
        result: 'saved',
        refreshId,
        requestedAt: isoTime(requestedAtMs),
        completedAt: body.completed_at,
        verifiedAt: body.verified_at,
        revisionId: body.revision_id,
        priceVersion: body.price_version,
      };
    case 'refused':
      return refused(body.refusal);
    case 'duplicate':
      return await readWinner(deps, body.winner_refresh_id, fingerprint);
    default:
      return unreachable(body);
  }
}

function isUnknown(decision: RefreshDecision): boolean {
  return decision.result === 'refused' && decision.refusal === undecided;
}

/** Whether the cancel of a decided attempt is never sent. That of a refused one has no effect. */
async function isWithdrawn(
  deps: RequestRefreshDeps,
  { refreshId }: PendingCancel,
  { result }: RefreshDecision,
): Promise<boolean> {
  try {
    return (await deps.pendingCancels.withdrawCancel(refreshId)) || result === 'refused';
  } catch (error) {
    deps.logger.warn({ err: error, refresh_id: refreshId }, 'cancel not withdrawn');
    return result === 'refused';
  }
}

/** Responds with `outcome: "unknown"`: the attempt must not start. */
async function cancelAttempt(
  deps: RequestRefreshDeps,
  attempt: PendingCancel,
): Promise<RefreshDecision> {
  const { refreshId } = attempt;
  try {
    await deps.pendingCancels.expediteCancel(attempt, deps.clock.now());
    deps.wakeCancels();
  } catch (error) {
    // It is due later, or was withdrawn: the client has the id and can cancel the refresh.
    deps.logger.error({ err: error, refresh_id: refreshId }, 'undecided refresh not cancelled');
  }
  const detail = { ...undecided.detail, refresh_id: refreshId };
  return refused({ ...undecided, detail });
}

/** Another attempt holds the key: its decision is the response, if the inputs are equal. */
async function readWinner(
  deps: RequestRunDeps,
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
