import { createHash } from 'node:crypto';
import type { AccountId, ProjectId, RefreshId, RequestId, WatchId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { MessageBody } from '@inventory/contracts/messages';
import { heldBy } from '@inventory/contracts/messages/billing';
import { acceptanceOf } from '@inventory/contracts/messages/refresh';
import type { Refusal } from '@inventory/contracts/refusal';
import type { ReceivedMessage } from '@inventory/messaging/bus';
import { invariant, unreachable } from '@inventory/runtime/bug';
import { elapsedSince, isoTime, monotonicNow } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import { decisionWait } from '../metrics.ts';

type Decision = MessageBody<'reply.refresh-decision.v1'>;
type DecisionOf<Kind extends Decision['decision']> = Extract<Decision, { decision: Kind }>;

/** All inputs of a refresh: path parameters and body with defaults. */
export interface RefreshInputs {
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly maxCredits: number;
  /** Null where the platform is always scanned. */
  readonly maxAgeSeconds: number | null;
}

/** One attempt to make a refresh, under an id that nothing else has. */
export interface RefreshAttempt extends RefreshInputs {
  readonly refreshId: RefreshId;
  readonly requestedAtMs: number;
  readonly requestId: RequestId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly idempotencyKey: string | null;
  /** What is sent of `maxAgeSeconds`; null where no saved observation may answer. */
  readonly freshness: NonNullable<MessageBody<'refresh.request.v1'>['freshness']> | null;
  /** Set for a run of a watch. */
  readonly watchId: WatchId | null;
}

export type RefreshDecision =
  | {
      readonly result: 'accepted';
      readonly requestedAt: string;
      readonly reply: DecisionOf<'accepted'>;
    }
  | {
      readonly result: 'saved';
      readonly requestedAt: string;
      readonly reply: DecisionOf<'saved'>;
    }
  /** The refresh of another attempt with the key. */
  | { readonly result: 'replayed'; readonly view: RefreshView }
  | { readonly result: 'refused'; readonly refusal: Refusal };

export interface SendAttemptDeps {
  readonly commands: RequestReplyClient;
  readonly collector: { findRefresh(refreshId: RefreshId): Promise<RefreshView | null> };
  readonly logger: Logger;
  readonly decisionTimeoutMs: number;
  readonly deadlines: { readonly undecidedRefreshMs: number };
}

const winnerReadEveryMs = 100;

/** Nothing was sent; a key stays unused. */
export const notSent: Refusal = { code: 'service_unavailable', retry_after_seconds: 1 };
/** The first request with the key is still undecided. */
const inProgress: Refusal = { code: 'idempotency_in_progress', retry_after_seconds: 1 };
/** Sent and undecided. */
export const undecided = {
  code: 'service_unavailable',
  detail: { outcome: 'unknown' },
  retry_after_seconds: 1,
} as const satisfies Refusal;

export const refused = (refusal: Refusal): RefreshDecision => ({ result: 'refused', refusal });

/** Sends `refresh.request` and waits for the reply. One that is sent again finds its decision. */
export async function sendAttempt(
  deps: SendAttemptDeps,
  attempt: RefreshAttempt,
): Promise<RefreshDecision> {
  const { refreshId } = attempt;
  const fingerprint = createHash('sha256').update(fingerprintText(attempt)).digest('hex');
  const startMs = monotonicNow();
  const command = commandOf(attempt, fingerprint);
  const reply = await deps.commands.request(command, decisionIn, deps.decisionTimeoutMs);
  decisionWait.record(elapsedSince(startMs) / 1_000, { result: reply.result });
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
      invariant(reply.body.refresh_id === refreshId, 'the decision is on another refresh');
      return await decisionOf(deps, reply.body, attempt, fingerprint);
    default:
      return unreachable(reply);
  }
}

async function decisionOf(
  deps: SendAttemptDeps,
  body: Decision,
  attempt: RefreshAttempt,
  fingerprint: string,
): Promise<RefreshDecision> {
  const requestedAt = isoTime(attempt.requestedAtMs);
  switch (body.decision) {
    case 'accepted':
      return { result: 'accepted', requestedAt, reply: body };
    case 'saved':
      return { result: 'saved', requestedAt, reply: body };
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

function commandOf(attempt: RefreshAttempt, fingerprint: string) {
  const { refreshId, freshness, watchId } = attempt;
  return {
    type: 'refresh.request.v1',
    id: `request:${refreshId}`,
    waitingId: `request:${refreshId}`,
    body: {
      refresh_id: refreshId,
      account_id: attempt.accountId,
      project_id: attempt.projectId,
      request_id: attempt.requestId,
      idempotency_key: attempt.idempotencyKey,
      fingerprint,
      scope: attempt.scope,
      language: attempt.language,
      max_credits: attempt.maxCredits,
      requested_at: isoTime(attempt.requestedAtMs),
      ...(freshness && { freshness }),
      ...(watchId && { watch_id: watchId }),
    },
  } as const;
}

/**
 * The text whose SHA-256 is the fingerprint of a refresh request. An explicit default and an
 * omitted one are the same inputs.
 */
export function fingerprintText(inputs: RefreshInputs): string {
  const { platform_id, app_id, context_id } = inputs.scope;
  const { language, maxCredits, maxAgeSeconds } = inputs;
  // Keys of refreshes without it are older than it.
  const freshness = maxAgeSeconds === null ? [] : [maxAgeSeconds];
  return JSON.stringify([platform_id, app_id, context_id, language, maxCredits, ...freshness]);
}

/** Another attempt holds the key: its decision is the response, if the inputs are equal. */
async function readWinner(
  deps: SendAttemptDeps,
  winnerId: RefreshId,
  fingerprint: string,
): Promise<RefreshDecision> {
  const startMs = monotonicNow();
  while (true) {
    const view = await deps.collector.findRefresh(winnerId);
    // A refused attempt releases its key and is deleted later.
    if (view === null) return refused(inProgress);
    if (view.fingerprint !== fingerprint) return refused({ code: 'idempotency_conflict' });
    if (view.decision === 'accepted') return { result: 'replayed', view };
    if (view.refusal !== null) return refused(view.refusal);
    const nextReadMs = elapsedSince(startMs) + winnerReadEveryMs;
    if (nextReadMs > deps.deadlines.undecidedRefreshMs) return refused(inProgress);
    await pause(winnerReadEveryMs);
  }
}
