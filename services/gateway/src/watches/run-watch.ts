import { createHash } from 'node:crypto';
import { maxCreditsMin } from '@inventory/contracts/http/refresh';
import { idPrefixes, type RefreshId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { Refusal } from '@inventory/contracts/refusal';
import type { WatchPauseReason } from '@inventory/contracts/vocabulary';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { uuidV7From } from '@inventory/runtime/identifiers';
import type { StartedWorkKind } from '@inventory/work/start-worker';
import type { Pending } from '@inventory/work/work-queue';
import type { WorkResult } from '@inventory/work/worker';
import { isFundsRefusal, type Purchase } from '../accounts/funds.ts';
import { replyOf } from '../commands/request-reply-client.ts';
import { watchDecisions } from '../metrics.ts';
import type { CollectorClient } from '../refreshes/collector-client.ts';
import { cancelMessage } from '../refreshes/pending-cancels.ts';
import { fingerprintOf, sendAttempt } from '../refreshes/refresh-attempt.ts';
import { work } from '../work.ts';
import type { WatchServices } from './open-watches.ts';
import {
  backedOffUntil,
  type EndedRun,
  fitsDailyLimit,
  nextCheckTime,
  nextRunTime,
  pausedUntil,
  recordEnd,
  runTimeAfter,
  type Watch,
} from './watch.domain.ts';

/** Concurrent claims of one Project, on one replica: what one watches delays no other. */
const claimsPerProject = 4;

/** Claims watches that are due. */
export const watchWork = (services: WatchServices): StartedWorkKind<Watch> => ({
  ...work.watches,
  queue: services.watches.queue,
  perKey: { slots: claimsPerProject, keyOf: ({ projectId }) => projectId },
  work: (claimed) => runWatch(services, claimed),
});

/** Claims of a due time in which a run that is not found, or has no decision yet, is read again. */
const triesMax = 6;

/**
 * Decides what a claimed watch does at its due time. Steps, and what a crash after each leaves:
 * 1. read how the last run ended: nothing is left;
 * 2. request the run, under an id that follows from the watch and its due time: a later claim reads
 *    the run under that id first, and judges nothing anew where it is made;
 * 3. record run, pause or skip with the next time, in the write that ends the claim, the event of a
 *    pause in its outbox: any replica sends it.
 * What is not admitted is skipped, never queued: the next run is made at its own time.
 */
export async function runWatch(
  services: WatchServices,
  claimed: Pending<Watch>,
): Promise<WorkResult> {
  const { clock } = services;
  const read = await withEndOfRun(services.collector, claimed.item);
  if (read === null && claimed.tries < triesMax) return 'later';
  const watch = read ?? recordEnd(claimed.item, null);
  const decided = await decide(services, watch, claimed.tries);
  if (decided === 'undecided') return 'later';
  const nowMs = clock.now();
  const { next, messages } = applied(watch, decided, nowMs);
  if (await services.watches.settleClaim(claimed, next, messages, nowMs)) {
    watchDecisions.add(1, { decision: decided.result });
    if (messages.length > 0) await services.sendFromOutbox(claimed.id, messages);
  }
  // One that changed meanwhile is claimed again when this claim ends.
  return 'settled';
}

/**
 * The watch with the end of its last run, where it has ended. Null where that run is not found: it was
 * made, and a read may miss it around an election.
 */
export async function withEndOfRun(
  collector: CollectorClient,
  watch: Watch,
): Promise<Watch | null> {
  if (!watch.run?.isOpen) return watch;
  const view = await collector.findRefresh(watch.accountId, watch.run.refreshId);
  if (view === null) return null;
  if (view.decision === 'refused') return recordEnd(watch, null);
  const ended = endOf(view);
  return ended === null ? watch : recordEnd(watch, ended);
}

function endOf({ record }: RefreshView): EndedRun | null {
  const { outcome, completedAtMs, billing } = record;
  if (outcome === null || completedAtMs === null) return null;
  return { outcome, charged: billing.unitsCharged ?? billing.creditsCharged ?? 0, completedAtMs };
}

type NoRun =
  | { readonly result: 'pause'; readonly reason: WatchPauseReason }
  /** No run now; `untilMs` where none is made before either. */
  | { readonly result: 'skip'; readonly untilMs?: number };
type Decision = { readonly result: 'run'; readonly refreshId: RefreshId } | NoRun;

async function decide(
  services: WatchServices,
  watch: Watch,
  tries: number,
): Promise<Decision | 'undecided'> {
  const refreshId = runIdOf(watch);
  // Made by an earlier claim, it holds its own funds: what is judged now would be another run.
  const made = tries > 1 ? await services.collector.findRefresh(watch.accountId, refreshId) : null;
  if (made?.decision === 'refused') return await withoutRefused(services, watch, made);
  const isMade = made?.decision === 'accepted' || (made !== null && tries >= triesMax);
  if (isMade) return { result: 'run', refreshId };
  const against = made === null ? await judge(services, watch) : null;
  if (against === null) return await requestRun(services, watch);
  return tries > 1 ? await withoutRun(services, watch, against) : against;
}

/** Where an earlier claim cancelled it, no run is made for the reason that there is now. */
async function withoutRefused(
  services: WatchServices,
  watch: Watch,
  { refusal }: RefreshView,
): Promise<NoRun> {
  const isCancelled = refusal?.code === 'service_unavailable';
  return isCancelled ? ((await judge(services, watch)) ?? { result: 'skip' }) : refusedBy(refusal);
}

const purchaseOf = ({ accountId, projectId, credentialId }: Watch): Purchase => ({
  accountId,
  projectId,
  credentialId,
  productCode: 'platform.inventory.watch.v1',
});

const heldNow = async ({ prices }: WatchServices): Promise<number> =>
  Math.max(maxCreditsMin, (await prices.readPrices()).refreshReservation);

/** Why no run is requested now; null where one is. */
async function judge(services: WatchServices, watch: Watch): Promise<NoRun | null> {
  if (watch.isPausedByOperator) return { result: 'pause', reason: 'operator_paused' };
  const eligibility = await services.eligibilityOf(watch);
  if (eligibility !== 'active') return { result: 'pause', reason: eligibility };
  if (watch.run?.isOpen) return { result: 'skip' };
  const untilMs = backedOffUntil(watch);
  const nowMs = services.clock.now();
  if (nowMs < untilMs) return { result: 'skip', untilMs };
  if (!fitsDailyLimit(watch, await heldNow(services), nowMs))
    return { result: 'pause', reason: 'daily_limit_reached' };
  const known = await services.funds.recheckFunds(purchaseOf(watch));
  return known && refusedBy(known);
}

async function requestRun(services: WatchServices, watch: Watch): Promise<Decision | 'undecided'> {
  const { accountId, projectId, credentialId, scope, language } = watch;
  const refreshId = runIdOf(watch);
  const maxCredits = await heldNow(services);
  const decision = await sendAttempt(services, {
    requestId: `${idPrefixes.request}${refreshId}`,
    refreshId,
    watchId: watch.watchId,
    requestedAtMs: services.clock.now(),
    accountId,
    projectId,
    credentialId,
    scope,
    language,
    maxCredits,
    idempotencyKey: null,
    fingerprint: fingerprintOf({ scope, language, maxCredits, maxAgeSeconds: null }),
    freshness: null,
  });
  if (decision.result !== 'refused') return { result: 'run', refreshId };
  const { refusal } = decision;
  if (refusal.code === 'service_unavailable') return 'undecided';
  if (isFundsRefusal(refusal)) services.funds.recordRefusal(purchaseOf(watch));
  return refusedBy(refusal);
}

/**
 * A request of an earlier claim may still be on its way: its cancel shows that no run is made by it,
 * or finds the run.
 */
async function withoutRun(
  services: WatchServices,
  watch: Watch,
  against: NoRun,
): Promise<Decision | 'undecided'> {
  const refreshId = runIdOf(watch);
  const { accountId, projectId } = watch;
  const cancel = { refreshId, accountId, projectId, requestedAtMs: services.clock.now() };
  const reply = await services.commands.request(
    cancelMessage(cancel, `cancel:${refreshId}`),
    replyOf('reply.refresh-cancel.v1'),
    services.decisionTimeoutMs,
  );
  if (reply.result !== 'reply') return 'undecided';
  return reply.body.result === 'not_found' ? against : { result: 'run', refreshId };
}

function refusedBy(refusal: Refusal | null): NoRun {
  switch (refusal?.code) {
    case 'insufficient_credits':
    case 'insufficient_units':
      return { result: 'pause', reason: 'insufficient_funds' };
    case 'spend_cap_reached':
      return { result: 'pause', reason: 'spend_cap_reached' };
    default:
      return { result: 'skip' };
  }
}

function applied(
  watch: Watch,
  decision: Decision,
  nowMs: number,
): { readonly next: Watch; readonly messages: readonly OutgoingMessage[] } {
  switch (decision.result) {
    case 'run': {
      const run = { refreshId: decision.refreshId, atMs: nowMs, isOpen: true, outcome: null };
      const nextRefreshAtMs = nextRunTime(watch, nowMs);
      return { next: { ...watch, run, nextRefreshAtMs, pausedReason: null }, messages: [] };
    }
    case 'skip': {
      const nextMs =
        watch.pausedReason === null ? nextRunTime(watch, nowMs) : nextCheckTime(watch, nowMs);
      const { untilMs } = decision;
      const nextRefreshAtMs =
        untilMs === undefined ? nextMs : Math.max(nextMs, runTimeAfter(watch, untilMs));
      return { next: { ...watch, nextRefreshAtMs }, messages: [] };
    }
    case 'pause': {
      const { reason } = decision;
      const nextRefreshAtMs = pausedUntil(watch, reason, nowMs);
      const next = { ...watch, nextRefreshAtMs, pausedReason: reason };
      return { next, messages: reason === watch.pausedReason ? [] : [paused(next, reason, nowMs)] };
    }
  }
}

function paused(watch: Watch, reason: WatchPauseReason, nowMs: number): OutgoingMessage {
  return {
    type: 'watch.paused.v1',
    id: `watch-paused:${watch.watchId}:${watch.version}`,
    body: {
      watchId: watch.watchId,
      accountId: watch.accountId,
      projectId: watch.projectId,
      scope: watch.scope,
      reason,
      pausedAtMs: nowMs,
    },
  };
}

/** One due time of a watch has one run, however often it is claimed. */
function runIdOf({ watchId, nextRefreshAtMs }: Watch): RefreshId {
  const random = createHash('sha256').update(`${watchId} ${nextRefreshAtMs}`).digest();
  return uuidV7From(nextRefreshAtMs, random);
}
