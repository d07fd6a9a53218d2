import type { LiveTrouble } from '@inventory/contracts/vocabulary';
import type { PlatformAnswer } from '../egress/platform-answer.domain.ts';
import type { PlatformPage } from '../egress/platform-page.domain.ts';
import {
  firstTries,
  judgePage,
  type PageRules,
  type PageTries,
} from '../scans/page-verdicts.domain.ts';

/** One live page that is being read: everything that one more answer is judged by. */
export interface LiveReading {
  /** Null for the first page. */
  readonly startAssetId: string | null;
  readonly tries: PageTries;
  /** What stands in the way so far; null before the first answer. */
  readonly trouble: LiveTrouble | null;
}

export type LiveOutcome =
  | { readonly result: 'page'; readonly page: PlatformPage }
  /** Confirmed: by a second identity, or twice by the only one. */
  | { readonly result: 'private' | 'not_found' }
  | { readonly result: 'trouble'; readonly trouble: LiveTrouble };

export interface LiveStep {
  /** What the answer settled; null when it has to be asked again. */
  readonly outcome: LiveOutcome | null;
  readonly reading: LiveReading;
  readonly pauseMs: number;
  /** Identities that were refused where another one is served. */
  readonly rests: readonly string[];
}

export function beginLivePage(
  startAssetId: string | null,
  rules: Pick<PageRules, 'count'>,
): LiveReading {
  return { startAssetId, tries: firstTries(rules), trouble: null };
}

/**
 * Judges an answer as that to a page of a scan is judged. A denial of a later page is believed
 * only when the first page is denied too.
 */
export function afterLiveAnswer(
  reading: LiveReading,
  asked: { readonly identity: string; readonly identities: readonly string[] },
  answer: PlatformAnswer,
  rules: PageRules,
): LiveStep {
  const { startAssetId, tries } = reading;
  const trouble = troubleOf(answer) ?? reading.trouble;
  const judged = judgePage({ ...asked, tries, isFirstPage: startAssetId === null }, answer, rules);
  switch (judged.judged) {
    case 'page': {
      const outcome = pageOutcome(judged.page, startAssetId, trouble);
      return { outcome, reading, pauseMs: 0, rests: judged.rests };
    }
    case 'ended': {
      const { outcome } = judged;
      const ended: LiveOutcome =
        outcome === 'upstream_unavailable'
          ? { result: 'trouble', trouble: trouble ?? 'bad_answer' }
          : { result: outcome };
      return { outcome: ended, reading, pauseMs: 0, rests: [] };
    }
    case 'again': {
      const next = { ...reading, tries: judged.tries, trouble };
      return { outcome: null, reading: next, pauseMs: judged.pauseMs, rests: judged.rests };
    }
  }
}

/** A page that says there is more has to say where, and somewhere else than where it began. */
function pageOutcome(
  page: PlatformPage,
  startAssetId: string | null,
  trouble: LiveTrouble | null,
): LiveOutcome {
  const leadsOn = page.lastAssetId !== null && page.lastAssetId !== startAssetId;
  if (page.more && !leadsOn) return { result: 'trouble', trouble: trouble ?? 'bad_answer' };
  return { result: 'page', page };
}

/** What a page that never came was waiting for when its time was up. */
export function outOfTime({ trouble }: Pick<LiveReading, 'trouble'>): LiveOutcome {
  return { result: 'trouble', trouble: trouble ?? 'egress_busy' };
}

/** Null for a page, which is trouble only where it cannot be gone on from. */
function troubleOf(answer: PlatformAnswer): LiveTrouble | null {
  switch (answer.kind) {
    case 'page':
      return null;
    case 'private':
    case 'not_found':
      return 'unconfirmed';
    case 'throttled':
      return 'throttled';
    case 'fault':
      return answer.reason === 'timeout' ? 'timeout' : 'bad_answer';
    case 'unreachable':
      return 'egress_busy';
    case 'bad_request':
    case 'too_large':
    case 'refused':
      return 'bad_answer';
  }
}

/** What the next try would have to wait for, in milliseconds. */
export interface LiveWaits {
  readonly identityFreeInMs: number;
  readonly breakerOpenMs: number;
  readonly queueMs: number;
}

const retrySecondsMin = 1;
const retrySecondsMax = 600;
const queueSecondsMax = 60;
const faultSeconds = 5;

/** Seconds until another try of a page is worthwhile. */
export function liveRetryAfterSeconds(outcome: LiveOutcome, waits: LiveWaits): number {
  const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000);
  const bounded = (value: number) => Math.min(retrySecondsMax, Math.max(retrySecondsMin, value));
  switch (outcome.result === 'trouble' ? outcome.trouble : outcome.result) {
    case 'breaker_open':
      return bounded(seconds(waits.breakerOpenMs));
    case 'egress_busy': {
      const queued = Math.min(queueSecondsMax, seconds(waits.queueMs));
      return bounded(Math.max(queued, seconds(waits.identityFreeInMs)));
    }
    case 'throttled':
    case 'unconfirmed':
      return bounded(seconds(waits.identityFreeInMs));
    default:
      return faultSeconds;
  }
}
