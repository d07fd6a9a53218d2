import type { AccountId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { LivePageFailure } from '@inventory/contracts/vocabulary';
import { pause } from '@inventory/runtime/wait';
import {
  avoidedIdentities,
  isDenial,
  requestsFirstPage,
  unreachableIdentities,
} from '../egress/page-verdicts.domain.ts';
import { readPage } from '../egress/read-page.ts';
import {
  afterLiveResponse,
  beginLivePage,
  checkedEnd,
  isBlankEnd,
  type LivePageOutcome,
  type LivePageProgress,
  outOfTime,
} from './live-page.domain.ts';
import type { LivePages } from './open-live-pages.ts';

export interface LivePageRequest {
  readonly accountId: AccountId;
  readonly scope: InventoryKey;
  readonly language: string;
  readonly count: number;
  readonly startAssetId: string | null;
  /** Start of the page before, null for the first page; absent: a blank end is not checked. */
  readonly previousStartAssetId?: string | null;
  /** For all of it: the wait for a slot, every try, the confirmation of a denial or of an end. */
  readonly timeLeftMs: number;
}

/** With less time left no request is sent: it would use a slot in vain. */
const requestMinMs = 500;

const failed = (failure: LivePageFailure): LivePageOutcome => ({ result: 'failed', failure });

/**
 * Reads one page from the platform for a waiting client. Nothing is stored: a crash ends the client's
 * request. The signal is aborted when the client no longer waits.
 */
export async function fetchLivePage(
  livePages: LivePages,
  request: LivePageRequest,
  signal: AbortSignal,
): Promise<LivePageOutcome> {
  const count = await livePages.begin();
  const outcome = await readPermitted(
    livePages,
    request,
    AbortSignal.any([signal, livePages.stopping]),
  );
  count(outcome);
  return outcome;
}

async function readPermitted(
  livePages: LivePages,
  request: LivePageRequest,
  signal: AbortSignal,
): Promise<LivePageOutcome> {
  const { accountId } = request;
  const retryAfterSeconds = livePages.abandoned.secondsUntilToken(accountId);
  if (retryAfterSeconds !== null) return { result: 'abandoned_limit', retryAfterSeconds };
  const permit = livePages.limiter.acquire(accountId);
  if (permit.result !== 'granted') {
    return permit.result === 'key_full' ? { result: 'concurrency_limit' } : failed('egress_busy');
  }
  let contacts = 0;
  const onResponse: LivePages['egress']['onResponse'] = (response, ...of) => {
    if (response.kind !== 'unreachable') contacts += 1;
    livePages.egress.onResponse(response, ...of);
  };
  try {
    const egress = { ...livePages.egress, onResponse };
    return await readChecked({ ...livePages, egress }, request, signal);
  } finally {
    permit.release();
    if (signal.aborted) for (; contacts > 0; contacts -= 1) livePages.abandoned.take(accountId);
  }
}

/** A last page without assets is checked against the page before, read again in the time left. */
async function readChecked(
  livePages: LivePages,
  request: LivePageRequest,
  signal: AbortSignal,
): Promise<LivePageOutcome> {
  const { previousStartAssetId, startAssetId, timeLeftMs } = request;
  const startMs = livePages.egress.monotonicNow();
  const outcome = await readWithin(livePages, request, signal);
  if (previousStartAssetId === undefined || !isBlankEnd(outcome)) return outcome;
  const before = {
    ...request,
    startAssetId: previousStartAssetId,
    timeLeftMs: timeLeftMs - (livePages.egress.monotonicNow() - startMs),
  };
  return checkedEnd(outcome, await readWithin(livePages, before, signal), startAssetId);
}

async function readWithin(
  livePages: LivePages,
  request: LivePageRequest,
  signal: AbortSignal,
): Promise<LivePageOutcome> {
  const { egress, rules } = livePages;
  const { scope } = request;
  const respondByMs = egress.monotonicNow() + request.timeLeftMs;
  const sendBy = AbortSignal.timeout(Math.max(0, Math.floor(request.timeLeftMs - requestMinMs)));
  const waiting = AbortSignal.any([signal, sendBy]);
  const identities = egress.identities.map(({ id }) => id);
  let progress: LivePageProgress = beginLivePage(request.startAssetId, request.count);
  for (;;) {
    // Each request for a denied inventory uses a slot (upstream 6.5).
    const denial = await livePages.findDenial(scope);
    if (denial !== null) return { result: denial };
    if (!(await egress.breakers.admits(scope.app_id))) return failed('breaker_open');
    const result = await readPage(
      egress,
      {
        accountId: request.accountId,
        scope,
        language: request.language,
        count: progress.tries.size.count,
        startAssetId: requestsFirstPage(progress.tries) ? null : progress.startAssetId,
        deadlineMs: null,
        avoid: avoidedIdentities(progress.tries, identities),
        unreachable: unreachableIdentities(progress.tries),
        respondByMs,
      },
      waiting,
    );
    if (!result) return outOfTime(progress);
    const attempt = { identity: result.identityId, identities };
    const step = afterLiveResponse(progress, attempt, result.response, rules);
    for (const identityId of step.cooldowns) await egress.pool.coolDownIdentity(identityId);
    if (step.outcome) {
      const { result: outcome } = step.outcome;
      if (isDenial(outcome)) await livePages.recordDenial(scope, outcome);
      return step.outcome;
    }
    progress = step.progress;
    // A pause that outlasts the time left is not begun.
    if (egress.monotonicNow() + step.pauseMs > respondByMs - requestMinMs)
      return outOfTime(progress);
    if (step.pauseMs > 0) await pause(step.pauseMs, waiting);
  }
}
