import {
  type EndCheckResult,
  type LivePageFailure,
  pageAssetsMax,
} from '@inventory/contracts/vocabulary';
import {
  evaluatePage,
  firstTries,
  type PageRules,
  type PageTries,
} from '../egress/page-verdicts.domain.ts';
import { firstAssets, type PlatformPage } from '../platform/platform-page.domain.ts';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';

/** The tries of one live page. */
export interface LivePageProgress {
  /** Null for the first page. */
  readonly startAssetId: string | null;
  readonly tries: PageTries;
  /** The latest failure; null before the first one. */
  readonly failure: LivePageFailure | null;
  /** The wait that the platform then requested. */
  readonly requestedWaitMs: number;
}

export type LivePageOutcome =
  /** `endCheck` is null where nothing was checked, or the check failed. */
  | {
      readonly result: 'page';
      readonly page: PlatformPage;
      readonly endCheck: EndCheckResult | null;
    }
  /** Confirmed: by a second identity, or twice by the only one. */
  | { readonly result: 'private' | 'not_found' }
  | {
      readonly result: 'failed';
      readonly failure: LivePageFailure;
      /** As the platform requests, where it does. */
      readonly retryAfterMs?: number;
    }
  /** Not read: the account reads as many pages at a time as it may. */
  | { readonly result: 'concurrency_limit' }
  /** Not read: clients of the account left too many pages while the platform responded. */
  | { readonly result: 'abandoned_limit'; readonly retryAfterSeconds: number };

export interface LivePageStep {
  /** Null when the page has to be requested again. */
  readonly outcome: LivePageOutcome | null;
  readonly progress: LivePageProgress;
  readonly pauseMs: number;
  /** Identities to cool down: refused where another one was served. */
  readonly cooldowns: readonly string[];
}

export function beginLivePage(startAssetId: string | null, count: number): LivePageProgress {
  return { startAssetId, tries: firstTries(count), failure: null, requestedWaitMs: 0 };
}

/**
 * Evaluates a response like that to a page of a scan. A denial of a later page is confirmed only when
 * the first page is denied too.
 */
export function afterLiveResponse(
  progress: LivePageProgress,
  attempt: { readonly identity: string; readonly identities: readonly string[] },
  response: PlatformResponse,
  rules: PageRules,
): LivePageStep {
  const { startAssetId, tries } = progress;
  const failure = failureOf(response) ?? progress.failure;
  const requestedWaitMs = response.kind === 'fault' ? (response.retryAfterMs ?? 0) : 0;
  const isFirstPage = startAssetId === null;
  const evaluated = evaluatePage({ ...attempt, tries, isFirstPage }, response, rules);
  switch (evaluated.result) {
    case 'page': {
      const outcome = pageOutcome(evaluated.page, startAssetId, failure);
      return { outcome, progress, pauseMs: 0, cooldowns: evaluated.cooldowns };
    }
    case 'ended': {
      const { outcome } = evaluated;
      const ended: LivePageOutcome =
        outcome === 'upstream_unavailable'
          ? failedWith(failure ?? 'bad_answer', requestedWaitMs)
          : { result: outcome };
      return { outcome: ended, progress, pauseMs: 0, cooldowns: [] };
    }
    case 'retry': {
      const next = { ...progress, tries: evaluated.tries, failure, requestedWaitMs };
      return {
        outcome: null,
        progress: next,
        pauseMs: evaluated.pauseMs,
        cooldowns: evaluated.cooldowns,
      };
    }
  }
}

/**
 * A page with a successor has to name its cursor, which must differ from its own. Of one with more
 * assets than are shown, the others are after its cursor.
 */
function pageOutcome(
  read: PlatformPage,
  startAssetId: string | null,
  failure: LivePageFailure | null,
): LivePageOutcome {
  const page = firstAssets(read, pageAssetsMax);
  const hasNext = page.lastAssetId !== null && page.lastAssetId !== startAssetId;
  if (page.more && !hasNext) return { result: 'failed', failure: failure ?? 'bad_answer' };
  return { result: 'page', page, endCheck: null };
}

/** Whether a last page is without assets: the cursor may name an asset that was removed. */
export function isBlankEnd(outcome: LivePageOutcome): boolean {
  return outcome.result === 'page' && !outcome.page.more && outcome.page.assets.length === 0;
}

/**
 * The outcome of a blank end once the page before was read again. Where that page ends elsewhere, it
 * is the outcome itself: after its new end there may be more. `startAssetId` is its earlier end.
 */
export function checkedEnd(
  blank: LivePageOutcome,
  before: LivePageOutcome,
  startAssetId: string | null,
): LivePageOutcome {
  if (blank.result !== 'page' || before.result !== 'page' || isBlankEnd(before)) return blank;
  const { more, lastAssetId } = before.page;
  return more && lastAssetId === startAssetId
    ? { ...blank, endCheck: 'confirmed' }
    : { ...before, endCheck: 'moved' };
}

/** The outcome of a page whose time has passed: its latest failure, else the wait for a slot. */
export function outOfTime({ failure, requestedWaitMs }: LivePageProgress): LivePageOutcome {
  return failedWith(failure ?? 'egress_busy', requestedWaitMs);
}

function failedWith(failure: LivePageFailure, requestedWaitMs: number): LivePageOutcome {
  return {
    result: 'failed',
    failure,
    ...(requestedWaitMs > 0 ? { retryAfterMs: requestedWaitMs } : {}),
  };
}

/** Null for a page. */
function failureOf(response: PlatformResponse): LivePageFailure | null {
  switch (response.kind) {
    case 'page':
      return null;
    case 'private':
    case 'not_found':
      return 'unconfirmed';
    case 'throttled':
    case 'blocked':
      return 'throttled';
    case 'fault':
      return response.reason === 'timeout' ? 'timeout' : 'bad_answer';
    case 'unreachable':
      return 'egress_busy';
    case 'bad_request':
    case 'too_large':
    case 'refused':
      return 'bad_answer';
  }
}

const abandonedReadsMin = 3;
const abandonedShare = 0.1;

/**
 * How many requests to the platform an account may have in a minute whose clients have left: enough
 * for broken connections, and few of the requests that the identities can send.
 */
export function abandonedReadsMax(pagesPerMinute: number): number {
  return Math.max(abandonedReadsMin, Math.floor(pagesPerMinute * abandonedShare));
}

/** The waits of another try. */
export interface LiveWaits {
  readonly identityFreeInMs: number;
  readonly breakerOpenMs: number;
  readonly queueMs: number;
}

const retrySecondsMin = 1;
const retrySecondsMax = 600;
const queueSecondsMax = 60;
const faultSeconds = 5;

/** Seconds until another request for the page is worthwhile. */
export function liveRetryAfterSeconds(outcome: LivePageOutcome, waits: LiveWaits): number {
  const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000);
  const bounded = (value: number) => Math.min(retrySecondsMax, Math.max(retrySecondsMin, value));
  if (outcome.result === 'abandoned_limit') return outcome.retryAfterSeconds;
  switch (outcome.result === 'failed' ? outcome.failure : outcome.result) {
    case 'breaker_open':
      return bounded(seconds(waits.breakerOpenMs));
    case 'egress_busy': {
      const queued = Math.min(queueSecondsMax, seconds(waits.queueMs));
      return bounded(Math.max(queued, seconds(waits.identityFreeInMs)));
    }
    case 'throttled':
    case 'unconfirmed':
      return bounded(seconds(waits.identityFreeInMs));
    case 'concurrency_limit':
      // Until a page of its own ends, which takes no longer than a read.
      return retrySecondsMin;
    default:
      return bounded(Math.max(faultSeconds, seconds(requestedWaitMsOf(outcome))));
  }
}

function requestedWaitMsOf(outcome: LivePageOutcome): number {
  return outcome.result === 'failed' ? (outcome.retryAfterMs ?? 0) : 0;
}
