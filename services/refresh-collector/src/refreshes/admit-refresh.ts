import type { RefreshId } from '@inventory/contracts/ids';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { savedAnswers } from '../metrics.ts';
import { sendEffects } from './apply-fact.ts';
import { type FindObservationDeps, findObservation } from './find-observation.ts';
import { attemptCancelled, isServedFromSaved, type Refresh } from './refresh.domain.ts';
import type { StoredRefresh } from './refresh-mapping.ts';
import type { KeyState, RefreshStore } from './refresh-store.ts';
import { type Estimate, retryAfterSecondsMin } from './status-estimate.domain.ts';

/** The content of `refresh.request`: the fields of a refresh that its requester decides. */
export type RefreshRequest = Pick<
  Refresh,
  | 'id'
  | 'accountId'
  | 'projectId'
  | 'requestId'
  | 'idempotencyKey'
  | 'fingerprint'
  | 'watchId'
  | 'scope'
  | 'language'
  | 'maxCredits'
  | 'maxAgeSeconds'
  | 'requestedAtMs'
> & {
  readonly waitingId: string | null;
  /** What an answer from what is saved states; null where the platform is always scanned. */
  readonly priceVersion: number | null;
  readonly trace: TraceCarrier;
  /** Until then the requester waits for the decision; null when it does not wait. */
  readonly deadlineMs: number | null;
};

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
export async function admitRefresh(deps: AdmitDeps, request: RefreshRequest): Promise<void> {
  const { refreshes } = deps;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const { holder, keyGeneration } = await keyState(refreshes, request);
    if (holder) return answerHolder(deps, request, holder);
    if (await isTooLate(deps, request)) return;
    const saved = await savedRefresh(deps, request);
    const refresh = saved ?? (await admittedRefresh(deps, request));
    if (await refreshes.insertRefresh(refresh, request.trace, keyGeneration)) {
      if (saved) savedAnswers.add(1);
      return sendDecision(deps, { refresh, trace: request.trace });
    }
    if (saved === null && refresh.refusal === null) deps.admission.decrement(request);
    const stored = await refreshes.findRefresh(request.id);
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
  request: RefreshRequest,
  holder: StoredRefresh,
): Promise<void> {
  if (holder.refresh.id === request.id) return sendDecision(deps, holder);
  if (request.waitingId === null) return;
  await deps.publish([
    {
      type: 'reply.refresh-decision.v1',
      id: `decision:${request.id}`,
      body: {
        waiting_id: request.waitingId,
        refresh_id: request.id,
        decision: 'duplicate',
        winner_refresh_id: holder.refresh.id,
      },
    },
  ]);
}

async function sendDecision(deps: AdmitDeps, stored: StoredRefresh): Promise<void> {
  const { phase } = stored.refresh;
  if (isServedFromSaved(stored.refresh))
    return sendEffects(deps, stored, ['reply_accepted', 'announce']);
  if (phase === 'accepted') return sendEffects(deps, stored, ['reserve']);
  return sendEffects(deps, stored, [phase === 'refused' ? 'reply_refused' : 'reply_accepted']);
}

/** A command is dropped past its deadline, but not once its document exists. */
async function isTooLate(deps: AdmitDeps, request: RefreshRequest): Promise<boolean> {
  const now = deps.clock.now();
  const expired = request.deadlineMs !== null && now > request.deadlineMs;
  const isOld = now - request.requestedAtMs > deps.requestAgeMaxMs;
  return (expired || isOld) && (await deps.refreshes.findRefresh(request.id)) === null;
}

function newRefresh(
  request: RefreshRequest & Pick<Refresh, 'expectedPages'>,
  refusal: RefreshRefusal | null,
  queueDeadlineMs: number,
): Refresh {
  const { trace: _trace, deadlineMs: _deadlineMs, priceVersion: _price, ...fields } = request;
  return {
    ...fields,
    idempotencyKey: refusal ? null : request.idempotencyKey,
    version: 1,
    phase: refusal ? 'refused' : 'accepted',
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
async function admittedRefresh(deps: AdmitDeps, request: RefreshRequest): Promise<Refresh> {
  const { admission, inventories, estimate } = deps;
  const expectedPages = await inventories.expectedPages(inventoryKeyText(request.scope));
  const refusal = await admission.admit(request, expectedPages);
  const attempt = newRefresh(
    { ...request, expectedPages },
    refusal,
    queueDeadlineOf(deps, request),
  );
  const { retryAfterSeconds } = estimate(attempt, admission.countAhead(request));
  return { ...attempt, retryAfterSeconds: retryAfterSeconds ?? retryAfterSecondsMin };
}

/** Completed as it is made: nothing is held, and nothing will be charged. Null where it is scanned. */
async function savedRefresh(deps: AdmitDeps, request: RefreshRequest): Promise<Refresh | null> {
  const observation = await findObservation(deps, request);
  if (observation === null) return null;
  const { priceVersion, requestedAtMs } = request;
  const { revisionId, observedAssets, verifiedAtMs } = observation;
  invariant(priceVersion !== null, 'one that allows it states its price list');
  return {
    ...newRefresh({ ...request, expectedPages: null }, null, queueDeadlineOf(deps, request)),
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
  of: Pick<RefreshRequest, 'accountId' | 'projectId'> & { id: RefreshId },
  nowMs: number,
): Refresh {
  return newRefresh(
    {
      ...of,
      requestId: `req_${of.id}`,
      idempotencyKey: null,
      fingerprint: '',
      watchId: null,
      scope: { platform_id: '0'.repeat(17), app_id: 1, context_id: 1 },
      language: 'english',
      maxCredits: 0,
      maxAgeSeconds: null,
      priceVersion: null,
      expectedPages: null,
      waitingId: null,
      requestedAtMs: nowMs,
      trace: {},
      deadlineMs: null,
    },
    attemptCancelled,
    nowMs,
  );
}
