import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { OutgoingMessage, ReceivedMessageOf } from '@inventory/messaging/bus';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { type FindObservationDeps, findObservation } from '../observations/find-observation.ts';
import { type Estimate, retryAfterSecondsMin } from '../plan/status-estimate.domain.ts';
import { sendEffects } from '../saga/apply-fact.ts';
import { attemptCancelled, isServedFromSaved, type Refresh } from '../saga/refresh.domain.ts';
import { savedAnswers } from '../saga/refresh-metrics.ts';
import type { KeyState, RefreshStore } from '../saga/refresh-store.ts';
import type { Owner } from '../saga/saga-messages.ts';

/** A request as it was received. */
type Received = Pick<
  ReceivedMessageOf<'refresh.request.v1'>,
  'body' | 'waitingId' | 'trace' | 'deadlineMs'
>;

export interface Admission {
  /**
   * Null when the refresh is admitted, and then it is counted. `expectedPages` is null where nothing
   * is known of its inventory.
   */
  admit(request: RefreshRequest, expectedPages: number | null): Promise<RefreshRefusal | null>;
  /** Outstanding refreshes of the account of an admitted one, without itself. */
  countAhead(request: RefreshRequest): number;
  /** Reverts the count of an attempt that was stored already. */
  decrement(request: RefreshRequest): void;
}

/** What earlier scans found. */
export interface InventorySizes {
  /** Pages to expect of an inventory; null where nothing is known of it. */
  expectedPages(inventory: string): Promise<number | null>;
}

export interface AdmitDeps extends FindObservationDeps {
  readonly refreshes: RefreshStore;
  readonly admission: Admission;
  readonly inventories: InventorySizes;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  readonly estimate: (refresh: Refresh, before: number) => Estimate;
  readonly queueDeadlineMs: number;
  /** Older commands without a document are dropped: their client has its answer already. */
  readonly requestAgeMaxMs: number;
}

const attemptsMax = 20;

/**
 * Decides on one attempt. Steps, and what a crash after each leaves:
 * 1. look up the Idempotency-Key: a replay is answered while admission is closed, and so is one
 *    that allows a saved observation. Nothing is left;
 * 2. insert the attempt as `accepted` or, with an observation, as `completed`, which claim the key,
 *    or as `refused`, which does not: the command is redelivered, finds it and continues;
 * 3. send `reserve`, or the decision with the announcement of a completed one: sent again with the
 *    command, or resent while it is pending.
 *
 * An insert that loses against another attempt with the key starts again at step 1: the other one
 * holds the key, or was refused meanwhile. An attempt that loses each time stays unstored and
 * undecided, and the gateway answers that its outcome is unknown.
 */
export async function admitRefresh(deps: AdmitDeps, received: Received): Promise<void> {
  const { refreshes } = deps;
  const { body: request } = received;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const { holder, keyGeneration } = await keyState(refreshes, request);
    if (holder) return answerHolder(deps, received, holder);
    if (await isTooLate(deps, received)) return;
    const saved = await savedRefresh(deps, received);
    const refresh = saved ?? (await admittedRefresh(deps, received));
    if (await refreshes.insertRefresh(refresh, keyGeneration)) {
      if (saved) savedAnswers.add(1);
      return sendDecision(deps, refresh);
    }
    if (saved === null && refresh.refusal === null) deps.admission.decrement(request);
    const stored = await refreshes.findRefresh(request.refreshId);
    if (stored) return sendDecision(deps, stored);
  }
}

async function keyState(refreshes: RefreshStore, request: RefreshRequest): Promise<KeyState> {
  const { projectId, idempotencyKey: key } = request;
  return key === null ? { holder: null, keyGeneration: 0 } : refreshes.readKeyState(projectId, key);
}

/** The key is held by this attempt, whose decision is sent again, or by another one. */
async function answerHolder(
  deps: AdmitDeps,
  { body: { refreshId }, waitingId }: Received,
  holder: Refresh,
): Promise<void> {
  if (holder.refreshId === refreshId) return sendDecision(deps, holder);
  if (waitingId === undefined) return;
  const { refreshId: winnerRefreshId } = holder;
  const body = { waitingId, refreshId, decision: 'duplicate', winnerRefreshId } as const;
  await deps.publish([{ type: 'reply.refresh-decision.v1', id: `decision:${refreshId}`, body }]);
}

async function sendDecision(deps: AdmitDeps, refresh: Refresh): Promise<void> {
  const { phase } = refresh;
  if (isServedFromSaved(refresh)) return sendEffects(deps, refresh, ['reply_accepted', 'announce']);
  if (phase === 'accepted') return sendEffects(deps, refresh, ['reserve']);
  return sendEffects(deps, refresh, [phase === 'refused' ? 'reply_refused' : 'reply_accepted']);
}

/** A command is dropped past its deadline, but not once its document exists. */
async function isTooLate(deps: AdmitDeps, received: Received): Promise<boolean> {
  const { body: request, deadlineMs } = received;
  const now = deps.clock.now();
  const expired = deadlineMs !== undefined && now > deadlineMs;
  const isOld = now - request.requestedAtMs > deps.requestAgeMaxMs;
  return (expired || isOld) && (await deps.refreshes.findRefresh(request.refreshId)) === null;
}

function newRefresh(
  { body: request, waitingId, trace }: Received,
  refusal: RefreshRefusal | null,
  expectedPages: number | null,
  queueDeadlineMs: number,
): Refresh {
  return {
    ...request,
    trace,
    waitingId: waitingId ?? null,
    idempotencyKey: refusal ? null : request.idempotencyKey,
    version: 1,
    phase: refusal ? 'refused' : 'accepted',
    expectedPages,
    queueDeadlineMs,
    retryAfterSeconds: retryAfterSecondsMin,
    collectDeadlineMs: null,
    completedAtMs: null,
    refusal,
    acceptance: null,
    cancelRequested: false,
    outcome: null,
    observedAssets: null,
    revisionId: null,
    previousRevisionId: null,
    observedAtMs: null,
    billing: {
      state: 'reserved',
      disposition: null,
      asset: 'credits',
      reserved: 0,
      charged: null,
      released: null,
    },
    eventAppended: false,
    scan: null,
  };
}

/** A requester whose clock is ahead has no longer time in the queue. */
function queueDeadlineOf(
  { clock, queueDeadlineMs: queueMs }: AdmitDeps,
  { requestedAtMs }: RefreshRequest,
): number {
  return Math.min(requestedAtMs, clock.now()) + queueMs;
}

/** The attempt as its admission decides on it; counted where it is admitted. */
async function admittedRefresh(deps: AdmitDeps, received: Received): Promise<Refresh> {
  const { admission, inventories, estimate } = deps;
  const { body: request } = received;
  const expectedPages = await inventories.expectedPages(inventoryKeyText(request.scope));
  const refusal = await admission.admit(request, expectedPages);
  const attempt = newRefresh(received, refusal, expectedPages, queueDeadlineOf(deps, request));
  const { retryAfterSeconds } = estimate(attempt, admission.countAhead(request));
  return { ...attempt, retryAfterSeconds: retryAfterSeconds ?? retryAfterSecondsMin };
}

/** Completed as it is made: nothing is held, and nothing will be charged. Null where it is scanned. */
async function savedRefresh(deps: AdmitDeps, received: Received): Promise<Refresh | null> {
  const { body: request } = received;
  const { freshness, requestedAtMs } = request;
  if (freshness === null) return null;
  const observation = await findObservation(deps, request);
  if (observation === null) return null;
  const { priceVersion } = freshness;
  const { revisionId, observedAssets, verifiedAtMs } = observation;
  return {
    ...newRefresh(received, null, null, queueDeadlineOf(deps, request)),
    phase: 'completed',
    completedAtMs: Math.max(deps.clock.now(), requestedAtMs),
    acceptance: { priceVersion, asset: 'credits', amount: 0, available: 0 },
    outcome: 'complete_unchanged',
    observedAssets,
    revisionId,
    observedAtMs: verifiedAtMs,
    billing: {
      state: 'finalized',
      disposition: 'finalize_saved',
      asset: 'credits',
      reserved: 0,
      charged: 0,
      released: 0,
    },
  };
}

/** Stored by a cancel that was delivered before its request: the request is refused by it. */
export function cancelledPlaceholder(
  { refreshId, accountId, projectId }: Owner,
  nowMs: number,
  trace: TraceCarrier,
): Refresh {
  const body = {
    refreshId,
    accountId,
    projectId,
    requestId: `req_${refreshId}`,
    idempotencyKey: null,
    fingerprint: '',
    scope: { platform_id: '0'.repeat(17), app_id: 1, context_id: 1 },
    language: 'english',
    maxCredits: 0,
    requestedAtMs: nowMs,
    freshness: null,
    watchId: null,
  } as const;
  const received = { body, trace, waitingId: undefined, deadlineMs: undefined };
  return newRefresh(received, attemptCancelled, null, nowMs);
}
