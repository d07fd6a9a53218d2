import { expectedReadMs, type PublishedPlan } from './published-plan.domain.ts';
import { isTerminal, type Refresh } from './refresh.domain.ts';

const secondsMin = 1;
const secondsMax = 60;
const secondsFirst = 1;
const secondsStep = 2;

/** The page rate of all egress identities together, after a burst. */
export interface CollectionPace {
  readonly pagesPerSecond: number;
  readonly burstPages: number;
}

export function collectionPace(
  identities: number,
  { requestsPerMinute, burst }: { readonly requestsPerMinute: number; readonly burst: number },
): CollectionPace {
  return { pagesPerSecond: (identities * requestsPerMinute) / 60, burstPages: identities * burst };
}

/**
 * Seconds until the next status read is worthwhile, null once terminal. It is the time the rate
 * limits need at least for the pages left, plus a quarter of the whole: a client that obeys it
 * sees the completion within the larger of 2 s and a quarter of the duration, however wrong the
 * estimate of the platform's speed is.
 */
export function retryAfterSeconds(
  refresh: Pick<Refresh, 'phase' | 'requestedAtMs' | 'scan'>,
  pagesLeft: number,
  pace: CollectionPace,
  nowMs: number,
): number | null {
  if (isTerminal(refresh.phase)) return null;
  const elapsed = Math.max(0, (nowMs - refresh.requestedAtMs) / 1000);
  if (elapsed < secondsFirst) return secondsFirst;
  // One of the pages left may be in flight.
  const limited = Math.max(0, (pagesLeft - 1 - pace.burstPages) / pace.pagesPerSecond);
  const wait = Math.floor(limited + Math.max(secondsStep, (elapsed + limited) / 4));
  return Math.min(secondsMax, Math.max(secondsMin, wait));
}

/** Pages a started scan still has to read, by the total count of its first page. */
export function pagesLeft(scan: Refresh['scan'], assetsPerPage: number): number {
  if (!scan || scan.reportedTotalCount === null) return 1;
  return Math.max(1, Math.ceil(scan.reportedTotalCount / assetsPerPage) - scan.pages);
}

/** Assembly and settlement together. */
const settleMs = 1_000;

/**
 * When a refresh is expected to complete; null when there is no estimate. `pagesAhead` are those of
 * its account that are read before its own, its own included.
 */
export function expectedCompletedMs(
  refresh: Pick<Refresh, 'phase' | 'scan' | 'collectDeadlineMs'>,
  pagesAhead: number,
  plan: PublishedPlan,
  nowMs: number,
): number | null {
  switch (refresh.phase) {
    case 'queued':
      return settledMs(expectedReadMs(plan, pagesAhead, nowMs));
    case 'collecting':
      if (refresh.scan?.parked) return null;
      return settledMs(
        earlier(expectedReadMs(plan, pagesAhead, nowMs), refresh.collectDeadlineMs ?? nowMs),
      );
    case 'assembling':
    case 'settling':
      return nowMs + settleMs;
    default:
      return null;
  }
}

const settledMs = (readMs: number | null) => (readMs === null ? null : readMs + settleMs);
const earlier = (timeMs: number | null, latestMs: number) =>
  timeMs === null ? null : Math.min(timeMs, latestMs);
