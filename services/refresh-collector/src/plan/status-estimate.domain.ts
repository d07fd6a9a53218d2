import type { CollectionPace } from '../egress/egress-identity.domain.ts';
import { retryAfterSecondsMin } from '../saga/new-refresh.domain.ts';
import { pagesLeft } from '../saga/recorded-scan.domain.ts';
import { isTerminal, type Refresh } from '../saga/refresh.domain.ts';
import { expectedReadMs, meanPagesOf, type PublishedPlan } from './published-plan.domain.ts';

/** Estimates for a pending refresh, as Status shows them. */
export interface Estimate {
  /** Null once terminal. */
  readonly retryAfterSeconds: number | null;
  /** Null once terminal, and while there is no estimate. */
  readonly expectedCompletedMs: number | null;
}

/** The inputs of an estimate. */
export interface EstimateBasis {
  readonly plan: PublishedPlan;
  readonly pace: CollectionPace;
  readonly assetsPerPage: number;
  /** Open refreshes of its account that were requested before it: they are read first. */
  readonly before: number;
  readonly nowMs: number;
}

const secondsMax = 60;
const secondsFirst = 1;
const secondsStep = 2;
/** Assembly and settlement together. */
const settleMs = 1_000;

/** When a refresh is expected to complete, and when its next status read is worthwhile. */
export function estimateOf(refresh: Refresh, basis: EstimateBasis): Estimate {
  if (isTerminal(refresh.phase)) return { retryAfterSeconds: null, expectedCompletedMs: null };
  const expectedCompletedMs = expectedMs(refresh, basis);
  return {
    retryAfterSeconds: secondsToWait(refresh, expectedCompletedMs, basis),
    expectedCompletedMs,
  };
}

/**
 * A client that obeys it sees the completion within the larger of 2 s and a quarter of the duration,
 * however wrong the estimate is: it waits at most the time the rate limits need for the pages that
 * are certainly left, plus a quarter of the whole. Where the expected completion is sooner, it waits
 * until then, but at least half of that: a missed estimate costs few reads.
 */
function secondsToWait(
  refresh: Refresh,
  expectedCompletedMs: number | null,
  basis: EstimateBasis,
): number {
  const { pace, nowMs } = basis;
  const elapsed = Math.max(0, (nowMs - refresh.requestedAtMs) / 1_000);
  // One of the pages left may be in flight.
  const pages = certainPages(refresh, basis) - 1;
  const limited = Math.max(0, (pages - pace.burstPages) / pace.pagesPerSecond);
  if (limited === 0 && elapsed < secondsFirst) return secondsFirst;
  const longest = limited + Math.max(secondsStep, (elapsed + limited) / 4);
  const expected = ((expectedCompletedMs ?? Number.POSITIVE_INFINITY) - nowMs) / 1_000;
  const wait = Math.min(longest, Math.max(expected, longest / 2, secondsStep));
  return Math.min(secondsMax, Math.max(retryAfterSecondsMin, Math.floor(wait)));
}

function expectedMs(refresh: Refresh, basis: EstimateBasis): number | null {
  switch (refresh.phase) {
    case 'accepted':
    case 'queued':
      return readAndSettledMs(refresh, basis);
    case 'collecting': {
      if (refresh.scan?.parked) return null;
      const doneMs = readAndSettledMs(refresh, basis);
      const latestMs = (refresh.collectDeadlineMs ?? basis.nowMs) + settleMs;
      return doneMs === null ? null : Math.min(doneMs, latestMs);
    }
    default:
      return basis.nowMs + settleMs;
  }
}

function readAndSettledMs(refresh: Refresh, basis: EstimateBasis): number | null {
  const { plan, before, assetsPerPage, nowMs } = basis;
  const { accountId } = refresh;
  const own =
    reportedPagesLeft(refresh, assetsPerPage) ?? refresh.expectedPages ?? plan.typicalPages;
  const pages = before * meanPagesOf(plan, accountId) + own;
  const readMs = expectedReadMs(plan, accountId, pages, nowMs);
  return readMs === null ? null : readMs + settleMs;
}

/**
 * Only the total of the first page is certain: an inventory may have become smaller, or private.
 * What is ahead of it in the queue costs a page each at least.
 */
function certainPages(refresh: Refresh, { assetsPerPage, before }: EstimateBasis): number {
  const isQueued = refresh.phase === 'accepted' || refresh.phase === 'queued';
  return reportedPagesLeft(refresh, assetsPerPage) ?? (isQueued ? before + 1 : 1);
}

function reportedPagesLeft({ scan }: Refresh, assetsPerPage: number): number | null {
  return scan && pagesLeft(scan, assetsPerPage);
}
