import type { RefreshId } from '@inventory/contracts/ids';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { sendEffects } from './apply-fact.ts';
import { attemptCancelled, type Refresh } from './refresh.domain.ts';
import type { StoredRefresh } from './refresh-mapping.ts';
import { pendingEffects } from './refresh-saga.domain.ts';
import type { KeyState, RefreshStore } from './refresh-store.ts';

/** What an admission command says; `Refresh` fields that only the collector knows are missing. */
export type RefreshRequest = Pick<
  Refresh,
  | 'id'
  | 'accountId'
  | 'projectId'
  | 'requestId'
  | 'idempotencyKey'
  | 'fingerprint'
  | 'scope'
  | 'language'
  | 'maxCredits'
  | 'requestedAtMs'
> & {
  readonly waitingId: string | null;
  readonly trace: TraceCarrier;
  /** After this nobody waits for the decision any more; null when nobody ever did. */
  readonly deadlineMs: number | null;
};

export interface AdmissionGate {
  /** Why this refresh is not admitted now; null when it is, and then it is counted. */
  refusalFor(request: RefreshRequest): Promise<RefreshRefusal | null>;
  /** Counted by mistake: the attempt was known already. */
  uncount(request: RefreshRequest): void;
}

export interface AdmitDeps {
  readonly refreshes: RefreshStore;
  readonly gate: AdmissionGate;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  readonly clock: Clock;
  readonly queueDeadlineMs: number;
  /** A command older than this without a document is dropped: its client has long been told. */
  readonly requestAgeMaxMs: number;
}

const looksMax = 20;

/**
 * Decides on one attempt. Steps, and what a crash after each leaves:
 * 1. look up the Idempotency-Key: a replay gets through a closed door. Nothing is left;
 * 2. insert the attempt as `accepted`, which claims the key, or as `refused`, which does not: the
 *    command is delivered again, finds it and continues;
 * 3. send `reserve` or the decision: sent again with the command, or while the refresh waits.
 *
 * An insert that loses against another attempt with the key looks again: the other holds the key,
 * or was refused meanwhile. An attempt that loses each time stays unstored and undecided, and the
 * gateway answers that its outcome is unknown.
 */
export async function admitRefresh(deps: AdmitDeps, request: RefreshRequest): Promise<void> {
  const { refreshes, gate } = deps;
  for (let look = 1; look <= looksMax; look += 1) {
    const { holder, turn } = await keyState(refreshes, request);
    if (holder) return answerHolder(deps, request, holder);
    if (await isTooLate(deps, request)) return;
    const refusal = await gate.refusalFor(request);
    const refresh = newRefresh(request, refusal, deps.queueDeadlineMs);
    if (await refreshes.insert(refresh, request.trace, turn)) {
      return sendDecision(deps, { refresh, trace: request.trace });
    }
    if (!refusal) gate.uncount(request);
    const known = await refreshes.find(request.id);
    if (known) return sendDecision(deps, known);
  }
}

async function keyState(refreshes: RefreshStore, request: RefreshRequest): Promise<KeyState> {
  const { projectId, idempotencyKey: key } = request;
  return key === null ? { holder: null, turn: 0 } : refreshes.findKey(projectId, key);
}

/** The key is held: by this attempt, whose decision is sent again, or by another. */
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
  if (phase === 'accepted') return sendEffects(deps, stored, pendingEffects(stored.refresh));
  return sendEffects(deps, stored, [phase === 'refused' ? 'reply_refused' : 'reply_accepted']);
}

/** A deadline drops a command only before its document exists. */
async function isTooLate(deps: AdmitDeps, request: RefreshRequest): Promise<boolean> {
  const now = deps.clock.now();
  const expired = request.deadlineMs !== null && now > request.deadlineMs;
  const old = now - request.requestedAtMs > deps.requestAgeMaxMs;
  return (expired || old) && (await deps.refreshes.find(request.id)) === null;
}

function newRefresh(
  request: RefreshRequest,
  refusal: RefreshRefusal | null,
  queueDeadlineMs: number,
): Refresh {
  const { trace: _trace, deadlineMs: _deadlineMs, ...fields } = request;
  return {
    ...fields,
    idempotencyKey: refusal ? null : request.idempotencyKey,
    version: 1,
    phase: refusal ? 'refused' : 'accepted',
    queueDeadlineMs: request.requestedAtMs + queueDeadlineMs,
    collectDeadlineMs: null,
    completedAtMs: null,
    refusal,
    acceptance: null,
    cancelRequested: false,
    outcome: null,
    observedAssets: null,
    revisionId: null,
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

/** The attempt a cancel left behind that overtook its request: the request finds it refused. */
export function tombstone(
  of: Pick<RefreshRequest, 'accountId' | 'projectId'> & { id: RefreshId },
  nowMs: number,
): Refresh {
  return newRefresh(
    {
      ...of,
      requestId: `req_${of.id}`,
      idempotencyKey: null,
      fingerprint: '',
      scope: { platform_id: '0'.repeat(17), app_id: 1, context_id: 1 },
      language: 'english',
      maxCredits: 0,
      waitingId: null,
      requestedAtMs: nowMs,
      trace: {},
      deadlineMs: null,
    },
    attemptCancelled,
    0,
  );
}
