import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { ReceivedMessageOf } from '@inventory/messaging/bus';
import { sendEffects } from '../saga/apply-fact.ts';
import { newRefresh, refusedAttempt, retryAfterSecondsMin } from '../saga/new-refresh.domain.ts';
import type { Saga } from '../saga/open-saga.ts';
import { isServedFromSaved, type Refresh } from '../saga/refresh.domain.ts';
import { savedCompletions } from '../saga/refresh-metrics.ts';
import type { KeyState } from '../saga/refresh-store.ts';
import type { Admission } from './open-admission.ts';

/** A request as it was received. */
type Received = ReceivedMessageOf<'refresh.request.v1'>;

const attemptsMax = 20;
/** Older commands without a document are dropped: their client has its response already. */
const requestAgeMaxMs = 10 * 60_000;

/**
 * Decides on one attempt. Steps, and what a crash after each leaves:
 * 1. look up the Idempotency-Key: a replay is replied to while admission is closed, and so is one
 *    that allows a saved observation. Nothing is left;
 * 2. insert the attempt as `accepted` or, with an observation, as `completed`, which claim the key,
 *    or as `refused`, which does not: the command is redelivered, finds it and continues;
 * 3. send `reserve`, or the decision with the announcement of a completed one: sent again with the
 *    command, or resent while it is pending.
 *
 * An insert that loses against another attempt with the key starts again at step 1: the other one
 * holds the key, or was refused meanwhile. An attempt that loses each time stays unstored and
 * undecided, and the gateway responds that its outcome is unknown.
 */
export async function admitAttempt(admission: Admission, received: Received): Promise<void> {
  const { saga, watch } = admission;
  const { refreshes } = saga;
  const request = received.body;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const { holder, keyGeneration } = await keyState(saga, request);
    if (holder) return replyToHolder(saga, received, holder);
    if (await isTooLate(saga, received)) return;
    const saved = await savedRefresh(admission, received);
    const refresh = saved ?? (await admittedRefresh(admission, received));
    if (await refreshes.insertRefresh(refresh, keyGeneration)) {
      if (saved) savedCompletions.add(1);
      return sendDecision(saga, refresh);
    }
    if (saved === null && refresh.refusal === null) watch.decrement(request);
    const stored = await refreshes.findRefresh(request.refreshId);
    if (stored) return sendDecision(saga, stored);
  }
}

async function keyState({ refreshes }: Saga, request: RefreshRequest): Promise<KeyState> {
  const { projectId, idempotencyKey: key } = request;
  return key === null ? { holder: null, keyGeneration: 0 } : refreshes.readKeyState(projectId, key);
}

/** The key is held by this attempt, whose decision is sent again, or by another one. */
async function replyToHolder(
  saga: Saga,
  { body: { refreshId }, waitingId }: Received,
  holder: Refresh,
): Promise<void> {
  if (holder.refreshId === refreshId) return sendDecision(saga, holder);
  if (waitingId === undefined) return;
  const { refreshId: winnerRefreshId } = holder;
  const body = { waitingId, refreshId, decision: 'duplicate', winnerRefreshId } as const;
  await saga.publish([{ type: 'reply.refresh-decision.v1', id: `decision:${refreshId}`, body }]);
}

async function sendDecision(saga: Saga, refresh: Refresh): Promise<void> {
  const { phase } = refresh;
  if (isServedFromSaved(refresh)) return sendEffects(saga, refresh, ['reply_accepted', 'announce']);
  if (phase === 'accepted') return sendEffects(saga, refresh, ['reserve']);
  return sendEffects(saga, refresh, [phase === 'refused' ? 'reply_refused' : 'reply_accepted']);
}

/** A command is dropped past its deadline, but not once its document exists. */
async function isTooLate(
  { refreshes, clock }: Saga,
  { body, deadlineMs }: Received,
): Promise<boolean> {
  const now = clock.now();
  const expired = deadlineMs !== undefined && now > deadlineMs;
  const isOld = now - body.requestedAtMs > requestAgeMaxMs;
  return (expired || isOld) && (await refreshes.findRefresh(body.refreshId)) === null;
}

/** The attempt before it is decided on. A requester whose clock is ahead has no longer time in the queue. */
function attemptOf({ saga, queueMs }: Admission, { body, waitingId, trace }: Received): Refresh {
  const queuedMs = Math.min(body.requestedAtMs, saga.clock.now());
  return newRefresh(body, waitingId, trace, queuedMs + queueMs);
}

/** The attempt as its admission decides on it; counted where it is admitted. */
async function admittedRefresh(admission: Admission, received: Received): Promise<Refresh> {
  const { watch, expectations } = admission;
  const request = received.body;
  const expectedPages = await expectations.pagesOf(inventoryKeyText(request.scope));
  const refusal = await watch.admit(request, expectedPages);
  const accepted = { ...attemptOf(admission, received), expectedPages };
  const attempt = refusal === null ? accepted : refusedAttempt(accepted, refusal);
  const { retryAfterSeconds } = expectations.estimateOf(attempt, watch.countAhead(request));
  return { ...attempt, retryAfterSeconds: retryAfterSeconds ?? retryAfterSecondsMin };
}

/** Completed as it is made: nothing is held, and nothing will be charged. Null where it is scanned. */
async function savedRefresh(admission: Admission, received: Received): Promise<Refresh | null> {
  const request = received.body;
  const { freshness, requestedAtMs } = request;
  if (freshness === null) return null;
  const observation = await admission.observations.find(request);
  if (observation === null) return null;
  const { priceVersion } = freshness;
  const { revisionId, observedAssets, verifiedAtMs } = observation;
  return {
    ...attemptOf(admission, received),
    phase: 'completed',
    completedAtMs: Math.max(admission.saga.clock.now(), requestedAtMs),
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
