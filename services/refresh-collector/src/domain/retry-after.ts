import { isTerminal, type Refresh } from './refresh.ts';

const secondsMin = 1;
const secondsMax = 60;
const secondsFirst = 1;
const secondsStep = 2;

/** What the egress identities together allow: pages a second after a burst. */
export interface CollectionPace {
  readonly pagesPerSecond: number;
  readonly burstPages: number;
}

/**
 * Seconds until the next status read is worthwhile, null once terminal. It is the time the rate
 * limits need at least for the pages left, plus a quarter of the whole: a client that obeys it
 * learns of completion within the larger of 2 s and a quarter of the duration, however wrong the
 * guess about the platform's own speed is.
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
  // One of the pages left may be on its way already.
  const limited = Math.max(0, (pagesLeft - 1 - pace.burstPages) / pace.pagesPerSecond);
  const wait = Math.floor(limited + Math.max(secondsStep, (elapsed + limited) / 4));
  return Math.min(secondsMax, Math.max(secondsMin, wait));
}
