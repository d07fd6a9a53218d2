import { afterGoodPage } from '../egress/page-size.domain.ts';
import {
  evaluatePage,
  freshTries,
  type PageRules,
  type PageTries,
} from '../egress/page-verdicts.domain.ts';
import type { PlatformPage } from '../platform/platform-page.domain.ts';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import {
  type EndCheck,
  noEndCheck,
  type PageKeys,
  pagesInOrder,
  type RecordedPage,
  type ScanSize,
} from '../saga/recorded-scan.domain.ts';
import type { FailedScanOutcome } from '../saga/refresh-fact.domain.ts';
import { keysOfPage, noKeys, withKeys } from './page-keys.domain.ts';

/** Limits of one scan. */
export interface ScanRules extends PageRules {
  readonly pagesMax: number;
}

/** The progress of a scan; enough for another worker to resume it. */
export interface ScanProgress extends ScanSize {
  /** The cursors of the pages after the first, in order; the last is that of the next page. */
  readonly cursors: readonly string[];
  /** Pages saved so far, including those that were read again. */
  readonly pages: number;
  /** The assets of the pages that these cursors are of. */
  readonly assetKeys: readonly PageKeys[];
  /** Assets that these pages cover, hidden ones included. */
  readonly assetsRead: number;
  readonly reportedTotalCount: number | null;
  readonly endCheck: EndCheck;
}

/** The step after a response. */
export type ScanStep =
  /** Stage the page, then save the progress; the scan is complete when `done`. */
  | {
      readonly step: 'save';
      readonly page: PlatformPage;
      /** Its position among the pages of the inventory. A page read again replaces that one. */
      readonly index: number;
      readonly progress: ScanProgress;
      readonly tries: PageTries;
      readonly done: boolean;
      readonly cooldowns: readonly string[];
    }
  /** Request the page again after a pause. */
  | {
      readonly step: 'retry';
      readonly progress: ScanProgress;
      readonly tries: PageTries;
      readonly pauseMs: number;
      /** Identities to cool down: refused where another one was served. */
      readonly cooldowns: readonly string[];
    }
  /** Record that the end is doubted, then read the page before it again. */
  | {
      readonly step: 'check_end';
      readonly progress: ScanProgress;
      readonly tries: PageTries;
      readonly cooldowns: readonly string[];
    }
  | { readonly step: 'fail'; readonly outcome: FailedScanOutcome };

export const freshProgress: ScanProgress = {
  cursors: [],
  pages: 0,
  assetKeys: [],
  assetsRead: 0,
  reportedTotalCount: null,
  endCheck: noEndCheck,
};

/** The progress of a scan by what is stored of it. */
export function resumedProgress(
  recorded: readonly RecordedPage[],
  { assetsRead, reportedTotalCount, endCheck }: ScanSize & { readonly endCheck: EndCheck },
): ScanProgress {
  const inOrder = pagesInOrder(recorded);
  const cursors = inOrder.flatMap(({ nextCursor }) => nextCursor ?? []);
  const doubted = endCheck.cursor === null ? -1 : cursors.indexOf(endCheck.cursor);
  const leading = doubted < 0 ? cursors : cursors.slice(0, doubted);
  return {
    cursors: leading,
    pages: recorded.length,
    assetKeys: inOrder.slice(0, leading.length).map(({ assetKeys = noKeys }) => assetKeys),
    assetsRead,
    reportedTotalCount,
    endCheck,
  };
}

export interface ScanAttempt {
  readonly progress: ScanProgress;
  readonly tries: PageTries;
  /** The identity of the request, and all configured ones. */
  readonly identity: string;
  readonly identities: readonly string[];
}

/** Evaluates a response for the scan; the worker applies the step. */
export function nextStep(
  moment: ScanAttempt,
  response: PlatformResponse,
  rules: ScanRules,
): ScanStep {
  const { progress } = moment;
  const evaluated = evaluatePage(
    { ...moment, isFirstPage: progress.cursors.length === 0 },
    response,
    rules,
  );
  switch (evaluated.result) {
    case 'ended':
      return { step: 'fail', outcome: evaluated.outcome };
    case 'retry': {
      const { tries, pauseMs, cooldowns } = evaluated;
      return { step: 'retry', progress, tries, pauseMs, cooldowns };
    }
    case 'page':
      return onPage(moment, evaluated.page, evaluated.cooldowns, rules);
  }
}

function onPage(
  { progress, tries }: ScanAttempt,
  page: PlatformPage,
  cooldowns: readonly string[],
  rules: ScanRules,
): ScanStep {
  const { cursors, endCheck } = progress;
  const nextTries = freshTries(afterGoodPage(tries.size, rules));
  const isSameEnd = page.more && page.lastAssetId !== null && page.lastAssetId === endCheck.cursor;
  const isBlankEnd = !page.more && page.assets.length === 0;
  const mayBeEmpty =
    cursors.length === 0 && (endCheck.attempts === 0 || page.reportedTotalCount === 0);
  const keys = keysOfPage(page.assets);
  const isRepetition = repeatsPages(keys, page.reportedTotalCount, progress);
  if (isRepetition || (isBlankEnd && !mayBeEmpty)) {
    if (endCheck.attempts >= rules.triesMax) return { step: 'fail', outcome: 'incomplete' };
    const back = steppedBack(progress, isRepetition);
    return { step: 'check_end', progress: back, tries: nextTries, cooldowns };
  }
  const saved = {
    step: 'save',
    page,
    index: cursors.length,
    tries: nextTries,
    cooldowns,
  } as const;
  const next: ScanProgress = {
    cursors,
    pages: progress.pages + 1,
    assetKeys: progress.assetKeys,
    assetsRead: progress.assetsRead + assetsCovered(page, progress, tries.size.count),
    reportedTotalCount: page.reportedTotalCount,
    endCheck: { ...endCheck, cursor: null },
  };
  if (!page.more || isSameEnd) return { ...saved, progress: next, done: true };
  const { lastAssetId } = page;
  if (lastAssetId === null || cursors.includes(lastAssetId) || next.pages >= rules.pagesMax) {
    return { step: 'fail', outcome: 'incomplete' };
  }
  const assetKeys = withKeys(progress.assetKeys, keys);
  const after = { ...next, cursors: [...cursors, lastAssetId], assetKeys };
  return { ...saved, progress: after, done: false };
}

/**
 * Whether most of a page was on pages before it although assets are missing: the platform has lost its
 * cursor, and began again.
 */
function repeatsPages(
  keys: PageKeys,
  reportedTotalCount: number,
  { assetKeys }: ScanProgress,
): boolean {
  const samples = [keys[0], keys[keys.length >> 1], keys.at(-1)];
  const isKnown = (key: number | undefined) =>
    key !== undefined && assetKeys.some((before) => before.includes(key));
  if (!samples.some(isKnown)) return false;
  const known = new Set(assetKeys.flatMap((before) => [...before]));
  const repeated = keys.filter((key) => known.has(key)).length;
  const found = known.size + keys.length - repeated;
  return found < reportedTotalCount && 2 * repeated > keys.length;
}

/**
 * A page covers what it was requested with, hidden assets included, unless the platform gives fewer a
 * page: two pages in a row then have the same number.
 */
function assetsCovered(
  { assets, more }: PlatformPage,
  { assetKeys }: ScanProgress,
  requested: number,
): number {
  const isLess = more && assets.length > 0 && assets.length === assetKeys.at(-1)?.length;
  return isLess ? assets.length : Math.max(assets.length, requested);
}

/**
 * Back to the page before: the cursor may name an asset that was removed. Where that page then ends
 * as it did, nothing is left after it; unless a page was there, which is read again.
 */
function steppedBack(progress: ScanProgress, isReadAgain: boolean): ScanProgress {
  const { cursors, endCheck } = progress;
  const cursor = isReadAgain ? null : (cursors.at(-1) ?? endCheck.cursor);
  return {
    ...progress,
    cursors: cursors.slice(0, -1),
    assetKeys: progress.assetKeys.slice(0, -1),
    endCheck: { cursor, attempts: endCheck.attempts + 1 },
  };
}
