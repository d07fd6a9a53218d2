import type { PlatformAnswer } from '../egress/platform-answer.domain.ts';
import type { PlatformPage } from '../egress/platform-page.domain.ts';
import type { FailedScanOutcome } from '../refreshes/refresh-saga.domain.ts';
import { afterGoodPage } from './page-size.domain.ts';
import { freshTries, judgePage, type PageRules, type PageTries } from './page-verdicts.domain.ts';

/** Bounds of one scan. */
export interface ScanRules extends PageRules {
  readonly pagesMax: number;
}

/** How far a scan has come: enough for another worker to resume it. */
export interface ScanProgress {
  /** Where each page after the first began, in order; the last is where the next page begins. */
  readonly cursors: readonly string[];
  /** Pages saved so far, those that were read again included. */
  readonly pages: number;
  readonly reportedTotalCount: number | null;
  readonly doubt: EndDoubt;
}

/** A last page without assets is not believed before the page in front of it was read again. */
export interface EndDoubt {
  /** The cursor behind which nothing was left; null unless the page before it is read again. */
  readonly end: string | null;
  readonly times: number;
}

/** What to do after an answer. */
export type ScanStep =
  /** Stage the page, then save the progress; the scan is complete when `done`. */
  | {
      readonly step: 'save';
      readonly page: PlatformPage;
      /** Its position among the pages of the inventory. A page read again replaces that one. */
      readonly place: number;
      readonly progress: ScanProgress;
      readonly tries: PageTries;
      readonly done: boolean;
      readonly rests: readonly string[];
    }
  /** Ask again after a pause. */
  | {
      readonly step: 'again';
      readonly progress: ScanProgress;
      readonly tries: PageTries;
      readonly pauseMs: number;
      /** Identities that were refused where another one is served. */
      readonly rests: readonly string[];
    }
  | { readonly step: 'fail'; readonly outcome: FailedScanOutcome };

export const freshProgress: ScanProgress = {
  cursors: [],
  pages: 0,
  reportedTotalCount: null,
  doubt: { end: null, times: 0 },
};

/** A page as it was recorded: its position, and where the page after it begins. */
export interface RecordedPage {
  readonly place: number;
  readonly nextCursor: string | null;
}

/** The pages that make up the inventory: one that was read again replaces what was read from there. */
export function pagesInPlace<Page extends RecordedPage>(recorded: readonly Page[]): Page[] {
  return recorded.reduce<Page[]>((pages, page) => [...pages.slice(0, page.place), page], []);
}

/** Where a scan resumes whose pages were recorded by another worker. */
export function resumedProgress(
  recorded: readonly RecordedPage[],
  reportedTotalCount: number | null,
): ScanProgress {
  const cursors = pagesInPlace(recorded).flatMap(({ nextCursor }) => nextCursor ?? []);
  return { ...freshProgress, cursors, pages: recorded.length, reportedTotalCount };
}

export interface ScanMoment {
  readonly progress: ScanProgress;
  readonly tries: PageTries;
  /** The identity that was asked, and all there are. */
  readonly identity: string;
  readonly identities: readonly string[];
}

/** Decides what an answer means for the scan. Pure: the worker only carries it out. */
export function nextStep(moment: ScanMoment, answer: PlatformAnswer, rules: ScanRules): ScanStep {
  const { progress } = moment;
  const judged = judgePage(
    { ...moment, isFirstPage: progress.cursors.length === 0 },
    answer,
    rules,
  );
  switch (judged.judged) {
    case 'ended':
      return { step: 'fail', outcome: judged.outcome };
    case 'again': {
      const { tries, pauseMs, rests } = judged;
      return { step: 'again', progress, tries, pauseMs, rests };
    }
    case 'page':
      return onPage(moment, judged.page, judged.rests, rules);
  }
}

function onPage(
  { progress, tries }: ScanMoment,
  page: PlatformPage,
  rests: readonly string[],
  rules: ScanRules,
): ScanStep {
  const { cursors, doubt } = progress;
  const nextTries = freshTries(afterGoodPage(tries.size, rules));
  const isSameEnd = page.more && page.lastAssetId !== null && page.lastAssetId === doubt.end;
  const isBlankEnd = !page.more && page.assets.length === 0;
  const mayBeEmpty = cursors.length === 0 && (doubt.times === 0 || page.reportedTotalCount === 0);
  if (isBlankEnd && !mayBeEmpty) {
    if (doubt.times >= rules.triesMax) return { step: 'fail', outcome: 'incomplete' };
    return { step: 'again', progress: steppedBack(progress), tries: nextTries, pauseMs: 0, rests };
  }
  const saved = {
    step: 'save',
    page,
    place: cursors.length,
    tries: nextTries,
    rests,
  } as const;
  const next: ScanProgress = {
    cursors,
    pages: progress.pages + 1,
    reportedTotalCount: page.reportedTotalCount,
    doubt: { ...doubt, end: null },
  };
  if (!page.more || isSameEnd) return { ...saved, progress: next, done: true };
  const { lastAssetId } = page;
  if (lastAssetId === null || cursors.includes(lastAssetId) || next.pages >= rules.pagesMax) {
    return { step: 'fail', outcome: 'incomplete' };
  }
  return { ...saved, progress: { ...next, cursors: [...cursors, lastAssetId] }, done: false };
}

/** Back to the page before: the cursor behind it may name an asset that is gone. */
function steppedBack(progress: ScanProgress): ScanProgress {
  const { cursors, doubt } = progress;
  return {
    ...progress,
    cursors: cursors.slice(0, -1),
    doubt: { end: cursors.at(-1) ?? null, times: doubt.times + 1 },
  };
}
