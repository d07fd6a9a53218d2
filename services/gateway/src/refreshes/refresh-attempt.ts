import { createHash } from 'node:crypto';
import type { RefreshId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import { heldBy } from '@inventory/contracts/messages/billing';
import {
  acceptanceOf,
  type RefreshDecision,
  type RefreshRequest,
} from '@inventory/contracts/messages/refresh';
import type { Refusal } from '@inventory/contracts/refusal';
import type { ReceivedMessage } from '@inventory/messaging/bus';
import { invariant, unreachable } from '@inventory/runtime/bug';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import { decisionWait } from '../metrics.ts';
import type { RefreshServices } from './open-refreshes.ts';

type DecisionOf<Kind extends RefreshDecision['decision']> = Extract<
  RefreshDecision,
  { decision: Kind }
>;

/** What makes two requests the same: path parameters and body with defaults. */
interface FingerprintedInputs {
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly maxCredits: number;
  /** Null where the platform is always scanned. */
  readonly maxAgeSeconds: number | null;
}

/** All inputs of a refresh. */
export interface RefreshInputs extends FingerprintedInputs {
  readonly idempotencyKey: string | null;
}

/** What became of an attempt, for its client. */
export type AttemptResult =
  | { readonly result: 'accepted'; readonly reply: DecisionOf<'accepted'> }
  | { readonly result: 'saved'; readonly reply: DecisionOf<'saved'> }
  /** The refresh of another attempt with the key. */
  | { readonly result: 'replayed'; readonly view: RefreshView }
  | { readonly result: 'refused'; readonly refusal: Refusal };

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

export const refused = (refusal: Refusal): AttemptResult => ({ result: 'refused', refusal });

/** Sends `refresh.request` and waits for the reply. One that is sent again finds its decision. */
export async function sendAttempt(
  services: RefreshServices,
  body: RefreshRequest,
): Promise<AttemptResult> {
  const { refreshId } = body;
  const id = `request:${refreshId}`;
  const startMs = monotonicNow();
  const command = { type: 'refresh.request.v1', id, waitingId: id, body } as const;
  const reply = await services.commands.request(command, decisionIn, services.decisionTimeoutMs);
  decisionWait.record(elapsedSince(startMs) / 1_000, { result: reply.result });
  switch (reply.result) {
    case 'not_sent':
      services.logger.warn({ cause: reply.cause }, 'refresh not requested');
      return refused(notSent);
    case 'unknown':
      services.logger.warn({ err: reply.cause, refreshId }, 'no decision on a refresh in time');
      return refused(undecided);
    case 'reply':
      invariant(reply.body.refreshId === refreshId, 'the decision is on another refresh');
      return await resultOf(services, reply.body, body);
    default:
      return unreachable(reply);
  }
}

async function resultOf(
  services: RefreshServices,
  reply: RefreshDecision,
  request: RefreshRequest,
): Promise<AttemptResult> {
  switch (reply.decision) {
    case 'accepted':
      return { result: 'accepted', reply };
    case 'saved':
      return { result: 'saved', reply };
    case 'refused':
      return refused(reply.refusal);
    case 'duplicate':
      return await readWinner(services, reply.winnerRefreshId, request);
    default:
      return unreachable(reply);
  }
}

/**
 * A published hold is the acceptance: the hold is the last step before it, so nothing can refuse
 * the refresh after it, and one hop is saved. All other outcomes of the ledger are decided by the
 * collector.
 */
function decisionIn(reply: ReceivedMessage): RefreshDecision | undefined {
  if (reply.type === 'reply.refresh-decision.v1') return reply.body;
  if (reply.type !== 'reply.billing-outcome.v1') return undefined;
  const { waitingId, outcome, deadlineAtMs, retryAfterSeconds } = reply.body;
  if (outcome?.kind !== 'reserve' || outcome.result !== 'applied') return undefined;
  if (outcome.refreshId === null) return undefined;
  if (deadlineAtMs === null || retryAfterSeconds === null) return undefined;
  return {
    waitingId,
    refreshId: outcome.refreshId,
    decision: 'accepted',
    ...acceptanceOf(heldBy(outcome)),
    deadlineAtMs,
    retryAfterSeconds,
  };
}

/** Of all inputs: an explicit default and an omitted one are the same. */
export function fingerprintOf(inputs: FingerprintedInputs): string {
  return createHash('sha256').update(fingerprintText(inputs)).digest('hex');
}

export function fingerprintText(inputs: FingerprintedInputs): string {
  const { platform_id, app_id, context_id } = inputs.scope;
  const { language, maxCredits, maxAgeSeconds } = inputs;
  // Keys of refreshes without it are older than it.
  const freshness = maxAgeSeconds === null ? [] : [maxAgeSeconds];
  return JSON.stringify([platform_id, app_id, context_id, language, maxCredits, ...freshness]);
}

/** Another attempt holds the key: its decision is the response, if the inputs are equal. */
async function readWinner(
  services: RefreshServices,
  winnerId: RefreshId,
  { accountId, fingerprint }: RefreshRequest,
): Promise<AttemptResult> {
  const startMs = monotonicNow();
  while (true) {
    const view = await services.collector.findRefresh(accountId, winnerId);
    // A refused attempt releases its key and is deleted later.
    if (view === null) return refused(inProgress);
    if (view.fingerprint !== fingerprint) return refused({ code: 'idempotency_conflict' });
    if (view.decision === 'accepted') return { result: 'replayed', view };
    if (view.refusal !== null) return refused(view.refusal);
    const nextReadMs = elapsedSince(startMs) + winnerReadEveryMs;
    if (nextReadMs > services.deadlines.undecidedRefreshMs) return refused(inProgress);
    await pause(winnerReadEveryMs);
  }
}
