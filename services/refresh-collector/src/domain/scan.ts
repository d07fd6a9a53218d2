import type { PlatformAnswer } from './platform-answer.ts';
import type { PlatformPage } from './platform-page.ts';
import type { FailedScanOutcome } from './refresh-saga.ts';

/** Bounds of one scan. */
export interface ScanRules {
  readonly pagesMax: number;
  /** Tries of one page that met trouble, before the platform counts as unavailable. */
  readonly triesMax: number;
  /** Throttled tries of one page; each rests its identity, so they cost no retry. */
  readonly throttledMax: number;
  readonly retryMs: number;
  /** The platform refuses a second read of one inventory within seconds. */
  readonly duplicateRetryMs: number;
  readonly count: number;
  readonly smallerCount: number;
}

/** How far a scan has come: enough for another worker to go on from here. */
export interface ScanProgress {
  /** Where the next page begins; null is the first page. */
  readonly cursor: string | null;
  /** Cursors used so far, in order. */
  readonly cursors: readonly string[];
  readonly pages: number;
  readonly reportedTotalCount: number | null;
}

/** What happened to the page that is being read now. Forgotten when the scan moves on. */
export interface PageTries {
  readonly failures: number;
  readonly throttled: number;
  readonly count: number;
  /** Identities that said "private" or "not found" about this page, and which it was. */
  readonly denials: readonly { readonly identity: string; readonly kind: Denial }[];
  /** Reads page 1 instead, to see whether the whole inventory became private. */
  readonly probing: boolean;
  readonly shrunk: boolean;
}

export type Denial = 'private' | 'not_found';

/** What to do after an answer. */
export type ScanStep =
  /** Stage the page, then save the progress; the scan is complete when `done`. */
  | {
      readonly step: 'save';
      readonly page: PlatformPage;
      readonly progress: ScanProgress;
      readonly done: boolean;
      /** Identities that were denied what another one was now served. */
      readonly blocked: readonly string[];
    }
  /** Ask again, after a pause and, where one is named, not through these identities. */
  | {
      readonly step: 'again';
      readonly tries: PageTries;
      readonly pauseMs: number;
      readonly avoid: readonly string[];
      /** Identities that turned out to be refused where others are served. */
      readonly blocked: readonly string[];
    }
  | { readonly step: 'fail'; readonly outcome: FailedScanOutcome };

export const freshProgress: ScanProgress = {
  cursor: null,
  cursors: [],
  pages: 0,
  reportedTotalCount: null,
};

export function freshTries(rules: Pick<ScanRules, 'count'>): PageTries {
  return {
    failures: 0,
    throttled: 0,
    count: rules.count,
    denials: [],
    probing: false,
    shrunk: false,
  };
}

export interface ScanMoment {
  readonly progress: ScanProgress;
  readonly tries: PageTries;
  /** The identity that was asked, and how many there are in all. */
  readonly identity: string;
  readonly identities: number;
}

/** Decides what an answer means for the scan. Pure: the worker only carries it out. */
export function nextStep(moment: ScanMoment, answer: PlatformAnswer, rules: ScanRules): ScanStep {
  switch (answer.kind) {
    case 'page':
      return onPage(moment, answer.page, rules);
    case 'private':
    case 'not_found':
      return onDenial(moment, answer.kind, rules);
    case 'throttled':
      return onThrottled(moment, rules);
    case 'bad_request':
      return onBadRequest(moment, rules);
    case 'fault':
      return onFault(
        moment,
        rules,
        answer.reason === 'duplicate_request' ? rules.duplicateRetryMs : rules.retryMs,
      );
    case 'refused':
      return { step: 'fail', outcome: 'upstream_unavailable' };
  }
}

function onPage(moment: ScanMoment, page: PlatformPage, rules: ScanRules): ScanStep {
  const { progress, tries } = moment;
  const blocked = tries.denials.map(({ identity }) => identity);
  if (tries.probing) {
    // The inventory is still public: the denial was about the identity that met it.
    return again({ ...tries, probing: false, denials: [] }, { avoid: blocked, blocked });
  }
  const next: ScanProgress = {
    cursor: page.lastAssetId,
    cursors: page.lastAssetId === null ? progress.cursors : [...progress.cursors, page.lastAssetId],
    pages: progress.pages + 1,
    reportedTotalCount: page.reportedTotalCount,
  };
  if (!page.more) return { step: 'save', page, progress: next, done: true, blocked };
  const repeats = page.lastAssetId === null || progress.cursors.includes(page.lastAssetId);
  if (repeats || next.pages >= rules.pagesMax) return { step: 'fail', outcome: 'incomplete' };
  return { step: 'save', page, progress: next, done: false, blocked };
}

/**
 * A denial is believed when a second identity says the same, or the same one again where there is
 * no other: a block page can look like a private inventory. After good pages page 1 is asked.
 */
function onDenial(moment: ScanMoment, kind: Denial, rules: ScanRules): ScanStep {
  const { tries, progress, identity } = moment;
  const denials = [...tries.denials, { identity, kind }];
  const same = denials.filter((denial) => denial.kind === kind);
  const witnesses = new Set(same.map((denial) => denial.identity)).size;
  const midScan = progress.pages > 0;
  const confirmed = witnesses >= 2 || (moment.identities === 1 && same.length >= 2);
  if (confirmed && (!midScan || tries.probing)) return { step: 'fail', outcome: kind };
  const failures = tries.failures + 1;
  if (failures >= rules.triesMax) return { step: 'fail', outcome: 'upstream_unavailable' };
  const avoid = moment.identities > 1 ? [identity] : [];
  return again({ ...tries, denials, failures, probing: midScan }, { avoid, blocked: [] });
}

function onThrottled(moment: ScanMoment, rules: ScanRules): ScanStep {
  const throttled = moment.tries.throttled + 1;
  if (throttled >= rules.throttledMax) return { step: 'fail', outcome: 'upstream_unavailable' };
  return {
    ...again({ ...moment.tries, throttled }, { avoid: [], blocked: [] }),
    pauseMs: 0,
  };
}

/** Not the customer's fault: shrink the count once, then try another identity, then give up. */
function onBadRequest(moment: ScanMoment, rules: ScanRules): ScanStep {
  const { tries, identity, identities } = moment;
  if (!tries.shrunk) {
    const smaller = { ...tries, shrunk: true, count: rules.smallerCount };
    return { ...again(smaller, { avoid: [], blocked: [] }), pauseMs: 0 };
  }
  const failures = tries.failures + 1;
  if (identities === 1 || failures >= rules.triesMax) {
    return { step: 'fail', outcome: 'upstream_unavailable' };
  }
  return again({ ...tries, failures }, { avoid: [identity], blocked: [identity] });
}

function onFault(moment: ScanMoment, rules: ScanRules, pauseMs: number): ScanStep {
  const failures = moment.tries.failures + 1;
  if (failures >= rules.triesMax) return { step: 'fail', outcome: 'upstream_unavailable' };
  return {
    ...again({ ...moment.tries, failures }, { avoid: [], blocked: [] }),
    pauseMs,
  };
}

function again(
  tries: PageTries,
  identities: { avoid: readonly string[]; blocked: readonly string[] },
): Extract<ScanStep, { step: 'again' }> {
  return { step: 'again', tries, pauseMs: 0, ...identities };
}
