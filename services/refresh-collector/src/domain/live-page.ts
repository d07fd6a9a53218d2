import type { LiveTrouble } from '@inventory/contracts/vocabulary';
import type { PlatformAnswer } from './platform-answer.ts';
import type { PlatformPage } from './platform-page.ts';
import { freshProgress, freshTries, nextStep, type PageTries, type ScanRules } from './scan.ts';

/** One live page that is being read: everything that one more answer is judged by. */
export interface LiveReading {
  /** Null for the first page. */
  readonly startAssetId: string | null;
  readonly tries: PageTries;
  /** What stands in the way so far; null before the first answer. */
  readonly trouble: LiveTrouble | null;
  /** Identities that the next try must not use. */
  readonly avoid: readonly string[];
}

export type LiveOutcome =
  | { readonly outcome: 'page'; readonly page: PlatformPage }
  /** Confirmed: by a second identity, or twice by the only one. */
  | { readonly outcome: 'private' | 'not_found' }
  | { readonly outcome: 'trouble'; readonly trouble: LiveTrouble };

export interface LiveStep {
  /** What the answer settled; null when it has to be asked again. */
  readonly outcome: LiveOutcome | null;
  readonly reading: LiveReading;
  readonly pauseMs: number;
  /** Identities that turned out to be refused where others are served. */
  readonly blocked: readonly string[];
}

export function beginLivePage(
  startAssetId: string | null,
  rules: Pick<ScanRules, 'count'>,
): LiveReading {
  return { startAssetId, tries: freshTries(rules), trouble: null, avoid: [] };
}

/**
 * Judges an answer by the rules of a scan: a live page is the page of a scan that begins there. A
 * denial of a later page is believed only when the first page is denied too.
 */
export function afterLiveAnswer(
  reading: LiveReading,
  asked: { readonly identity: string; readonly identities: number },
  answer: PlatformAnswer,
  rules: ScanRules,
): LiveStep {
  const { startAssetId, tries } = reading;
  const progress =
    startAssetId === null
      ? freshProgress
      : { cursor: startAssetId, cursors: [startAssetId], pages: 1, reportedTotalCount: null };
  const trouble = troubleOf(answer) ?? reading.trouble;
  const step = nextStep({ progress, tries, ...asked }, answer, rules);
  switch (step.step) {
    case 'save':
      return {
        outcome: { outcome: 'page', page: step.page },
        reading,
        pauseMs: 0,
        blocked: step.blocked,
      };
    case 'fail': {
      const { outcome } = step;
      const denied = outcome === 'private' || outcome === 'not_found';
      const ended: LiveOutcome = denied
        ? { outcome }
        : { outcome: 'trouble', trouble: trouble ?? 'bad_answer' };
      return { outcome: ended, reading, pauseMs: 0, blocked: [] };
    }
    case 'again': {
      const next = { ...reading, tries: step.tries, avoid: step.avoid, trouble };
      return { outcome: null, reading: next, pauseMs: step.pauseMs, blocked: step.blocked };
    }
  }
}

/** What a page that never came was waiting for when its time was up. */
export function outOfTime({ trouble }: Pick<LiveReading, 'trouble'>): LiveOutcome {
  return { outcome: 'trouble', trouble: trouble ?? 'egress_busy' };
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
    case 'bad_request':
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
  switch (outcome.outcome === 'trouble' ? outcome.trouble : outcome.outcome) {
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
