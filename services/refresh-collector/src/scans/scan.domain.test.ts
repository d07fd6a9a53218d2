import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import { firstTries } from '../egress/page-verdicts.domain.ts';
import type { PlatformPage } from '../platform/platform-page.domain.ts';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import type { PageAsset } from '../platform/platform-rows.domain.ts';
import { pieceOf } from '../platform/text-pieces.domain.ts';
import { pagesInOrder, type RecordedPage } from '../saga/recorded-scan.domain.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { Fact } from '../saga/refresh-fact.domain.ts';
import { advance } from '../saga/refresh-saga.domain.ts';
import { keysOfPage, noKeys } from './page-keys.domain.ts';
import {
  freshProgress,
  nextStep,
  resumedProgress,
  type ScanAttempt,
  type ScanProgress,
  type ScanRules,
  type ScanStep,
} from './scan.domain.ts';

const rules: ScanRules = {
  pagesMax: 250,
  triesMax: 5,
  throttledMax: 6,
  retryMs: 4_000,
  duplicateRetryMs: 5_000,
  count: 2_000,
  smallerCount: 1_000,
};
const attempt = (progress: ScanProgress = freshProgress): ScanAttempt => ({
  progress,
  tries: firstTries(rules.count),
  identity: 'a',
  identities: ['a', 'b'],
});
const asset = (assetid: string): PageAsset => ({
  identity: assetid,
  assetid,
  isCurrency: false,
  ...pieceOf('{}'),
  properties: [],
});
const page = (fields: Partial<PlatformPage> = {}): PlatformResponse => ({
  kind: 'page',
  page: {
    assets: [asset('1')],
    descriptions: [],
    reportedTotalCount: 5,
    more: false,
    lastAssetId: null,
    ...fields,
  },
});
const pageTo = (lastAssetId: string) => page({ more: true, lastAssetId });
const blankEnd = page({ assets: [] });
const midScan: ScanProgress = {
  ...freshProgress,
  cursors: ['10', '20'],
  pages: 2,
  assetKeys: [noKeys, noKeys],
  reportedTotalCount: 9,
};
const incomplete: ScanStep = { step: 'fail', outcome: 'incomplete' };

function progressOf(step: ScanStep): ScanProgress {
  if (step.step === 'fail') throw new Error(step.outcome);
  return step.progress;
}

describe('nextStep', () => {
  it('is done with a page without more, however few assets it has (upstream 6.7)', () => {
    expect(nextStep(attempt(), page(), rules)).toMatchObject({
      step: 'save',
      done: true,
      index: 0,
    });
  });

  it('is done with a first page without assets, whatever the total is (upstream 1.3)', () => {
    expect(nextStep(attempt(), blankEnd, rules)).toMatchObject({ step: 'save', done: true });
  });

  it('reads on after a page with more, however empty it is (upstream 6.7)', () => {
    const blank = page({ assets: [], more: true, lastAssetId: '40' });
    expect(nextStep(attempt(), blank, rules)).toMatchObject({
      step: 'save',
      done: false,
      index: 0,
      progress: { cursors: ['40'], pages: 1 },
    });
  });

  it.each([
    ['is missing', null],
    ['is the one before', '20'],
    ['was used earlier', '10'],
  ])(
    'ends as incomplete when the next cursor %s (upstream 6.8) [only-complete-scans]',
    (_what, lastAssetId) => {
      expect(nextStep(attempt(midScan), page({ more: true, lastAssetId }), rules)).toEqual(
        incomplete,
      );
    },
  );

  it('ends as incomplete beyond 250 pages, and completes with the 250th (Refresh: Deadlines)', () => {
    const progress = { ...freshProgress, pages: 249 };
    expect(nextStep(attempt(progress), pageTo('40'), rules)).toEqual(incomplete);
    expect(nextStep(attempt(progress), page(), rules)).toMatchObject({ step: 'save', done: true });
  });

  it('drops the tries of a page once it was read, and retains the page size', () => {
    const size = { count: 1_000, goodPages: 0, growAfterPages: 4 };
    const responses = [{ identity: 'a', response: 'fault', ofFirstPage: false }] as const;
    const step = nextStep({ ...attempt(), tries: { responses, size } }, pageTo('40'), rules);
    expect(step).toMatchObject({
      step: 'save',
      tries: { responses: [], size: { count: 1_000, goodPages: 1 } },
    });
  });
});

describe('a last page without assets (upstream 1.3: the cursor asset may be gone)', () => {
  const checking = progressOf(nextStep(attempt(midScan), blankEnd, rules));

  it('is not saved: the page before it is read again from its own cursor', () => {
    expect(nextStep(attempt(midScan), blankEnd, rules)).toMatchObject({ step: 'check_end' });
    expect(checking.cursors).toEqual(['10']);
  });

  it('is accepted when that page ends where it ended before: the others are hidden', () => {
    expect(nextStep(attempt(checking), pageTo('20'), rules)).toMatchObject({
      step: 'save',
      done: true,
      index: 1,
    });
  });

  it('is not accepted when that page ends elsewhere: it replaces the page, and the scan resumes', () => {
    const step = nextStep(attempt(checking), pageTo('21'), rules);
    expect(step).toMatchObject({
      step: 'save',
      done: false,
      index: 1,
      progress: { cursors: ['10', '21'], pages: 3 },
    });
    // The next blank end is checked in the same way.
    expect(nextStep(attempt(progressOf(step)), blankEnd, rules)).toMatchObject({
      step: 'check_end',
      progress: { cursors: ['10'], endCheck: { cursor: '21', attempts: 2 } },
    });
  });

  it('is the end when that page has become the last one and has assets', () => {
    expect(nextStep(attempt(checking), page(), rules)).toMatchObject({ step: 'save', done: true });
  });

  it('is checked one page earlier when that page has no assets either', () => {
    expect(nextStep(attempt(checking), blankEnd, rules)).toMatchObject({
      step: 'check_end',
      progress: { cursors: [], endCheck: { cursor: '10', attempts: 2 } },
    });
  });

  it('never makes an inventory empty of which pages were read, unless its total is 0', () => {
    const first = { ...freshProgress, pages: 1, endCheck: { cursor: '10', attempts: 1 } };
    expect(nextStep(attempt(first), blankEnd, rules)).toMatchObject({ step: 'check_end' });
    const emptied = page({ assets: [], reportedTotalCount: 0 });
    expect(nextStep(attempt(first), emptied, rules)).toMatchObject({ step: 'save', done: true });
  });

  it('ends the scan as incomplete once it was checked five times', () => {
    let progress = midScan;
    for (let times = 0; times < 5; times += 1) {
      progress = progressOf(nextStep(attempt(progress), blankEnd, rules));
      const moved = pageTo(`3${times}`);
      progress = progressOf(nextStep(attempt(progress), moved, rules));
    }
    expect(nextStep(attempt(progress), blankEnd, rules)).toEqual(incomplete);
  });
});

describe('a page that repeats others (upstream 1.3: the cursor may be lost)', () => {
  const assets = (...ids: string[]) => ({ assets: ids.map(asset), reportedTotalCount: 4 });
  const first = progressOf(
    nextStep(attempt(), page({ ...assets('1', '2'), more: true, lastAssetId: '2' }), rules),
  );

  it.each([
    ['all', ['1', '2']],
    ['a part', ['2']],
    ['all in another order', ['2', '1']],
    ['most, with one that is new', ['1', '2', '3']],
  ])(
    'is not the end where it has %s of their assets: the page before is read again',
    (_how, ids) => {
      const step = nextStep(attempt(first), page(assets(...ids)), rules);

      expect(step).toMatchObject({
        step: 'check_end',
        progress: { cursors: [], endCheck: { cursor: null, attempts: 1 } },
      });
      // That it ends as it did is no evidence: the page after it is read again too.
      const again = page({ ...assets('1', '2'), more: true, lastAssetId: '2' });
      const next = nextStep(attempt(progressOf(step)), again, rules);
      expect(next).toMatchObject({ step: 'save', done: false, index: 0 });
      const last = nextStep(attempt(progressOf(next)), page(assets('3', '4')), rules);
      expect(last).toMatchObject({ step: 'save', done: true, index: 1 });
    },
  );

  it('is no page of an inventory in its middle either', () => {
    const middle = page({ ...assets('1', '2'), more: true, lastAssetId: '9' });
    expect(nextStep(attempt(first), middle, rules)).toMatchObject({ step: 'check_end' });
  });

  it.each([
    ['has as many new assets as others', assets('2', '3')],
    ['is of an inventory that is complete without it', { ...assets('1'), reportedTotalCount: 2 }],
    ['has a currency row of the same number', { assets: [{ ...asset('1'), isCurrency: true }] }],
  ])('is one where it %s', (_what, fields) => {
    const step = nextStep(attempt(first), page(fields), rules);
    expect(step).toMatchObject({ step: 'save', done: true });
  });

  it('ends the scan as incomplete once it was checked five times', () => {
    let progress = first;
    for (let times = 0; times < 5; times += 1) {
      progress = progressOf(nextStep(attempt(progress), page(assets('1')), rules));
      const again = page({ ...assets('1', '2'), more: true, lastAssetId: '2' });
      progress = progressOf(nextStep(attempt(progress), again, rules));
    }
    expect(nextStep(attempt(progress), page(assets('1')), rules)).toEqual(incomplete);
  });
});

describe('the check of an end, when the scan is taken over', () => {
  it.each([
    ['while the page before is read again', 1],
    ['while the page before that one is', 2],
    ['while the first page is, once more', 3],
  ])('continues %s', (_when, checks) => {
    let stored = collecting(['10', '20']);
    let progress = progressOfStored(stored);
    for (let times = 0; times < checks; times += 1) {
      const step = nextStep(attempt(progress), blankEnd, rules);
      progress = progressOf(step);
      stored = recordStep(stored, step);
    }

    expect(progressOfStored(stored)).toEqual(progress);
  });

  it('is made five times at most, however often its worker changes', () => {
    expect(checksOf(takenOver)).toBe(5);
  });

  it('is made more often when each worker counts for itself: the planted fault', () => {
    expect(checksOf(takenOverForgetful)).toBe(20);
  });
});

describe('the assets that the pages of a scan cover', () => {
  const held = (count: number, number: number) =>
    page({
      assets: Array.from({ length: count }, (_, index) => asset(`${number}-${index}`)),
      reportedTotalCount: 100_000,
      more: true,
      lastAssetId: `next-${number}`,
    });
  /** The pages one after the other, each requested with the size that those before it leave. */
  function covered(requested: number, counts: readonly number[]): number[] {
    const tries = { responses: [], size: { count: requested, goodPages: 0, growAfterPages: 100 } };
    let progress = freshProgress;
    return counts.map((count, number) => {
      const before = progress.assetsRead;
      progress = progressOf(nextStep({ ...attempt(progress), tries }, held(count, number), rules));
      return progress.assetsRead - before;
    });
  }

  it.each([
    ['as many as were requested', 2_000, [2_000, 2_000], [2_000, 2_000]],
    ['as many as are requested since fewer are given', 1_000, [1_000, 1_000], [1_000, 1_000]],
    ['hidden ones too', 2_000, [1_700, 0, 1_650, 900], [2_000, 2_000, 2_000, 2_000]],
    [
      'what each page in a row holds where that is less',
      2_000,
      [1_000, 1_000, 1_000],
      [2_000, 1_000, 1_000],
    ],
    ['more than requested where the platform gives more', 1_000, [2_500], [2_500]],
  ])('are %s', (_what, requested, counts, expected) => {
    expect(covered(requested, counts)).toEqual(expected);
  });
});

describe('the pages of a scan', () => {
  it('are those that were not read again', () => {
    const recorded = [
      { index: 0, nextCursor: '10' },
      { index: 1, nextCursor: '20' },
      { index: 1, nextCursor: '21' },
      { index: 2, nextCursor: null },
    ].map((one) => ({ ...one, assetKeys: keysOfPage([asset(String(one.index))]) }));
    expect(pagesInOrder(recorded).map(({ nextCursor }) => nextCursor)).toEqual(['10', '21', null]);
    expect(
      resumedProgress(recorded.slice(0, 3), { ...freshProgress, reportedTotalCount: 9 }),
    ).toMatchObject({ cursors: ['10', '21'], pages: 3 });
  });

  it('are read to the end of the inventory while assets vanish under the cursor, or it is incomplete', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        (size, removals, crashes) => {
          const platform = openPlatform(size, 0);
          const found = scanAll(platform, removals, crashes);
          // Whatever is still there at the end was found.
          if (found) expect(platform.assets.filter((id) => !found.has(id))).toEqual([]);
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
  });

  const findsAll = (next: typeof nextStep) =>
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: pageSize }),
      fc.array(fc.boolean(), { maxLength: 40 }),
      fc.array(fc.boolean(), { maxLength: 40 }),
      (size, repeats, removals, crashes) => {
        const platform = openPlatform(size, repeats);
        const found = scanAll(platform, removals, crashes, next);
        if (!found) return;
        // An inventory is not known to be larger than what was found, removed assets included.
        const removed = [...found].filter((id) => !platform.assets.includes(id));
        const missing = platform.assets.filter((id) => !found.has(id));
        expect(missing.length).toBeLessThanOrEqual(removed.length);
      },
    );

  it('are read to the end where a lost cursor leads to the first page or a part of it, whichever worker reads on, or it is incomplete [only-complete-scans]', () => {
    fc.assert(findsAll(nextStep), { numRuns: propertyRuns(2_000) });
  });

  it('end early where a worker does not know the pages of the last one, and believes a repetition: the planted fault', () => {
    const forgetful: typeof nextStep = (moment, ...rest) => {
      const step = nextStep(moment, ...rest);
      if (step.step !== 'save') return step;
      const assetKeys = step.progress.assetKeys.map(() => noKeys);
      return { ...step, progress: { ...step.progress, assetKeys } };
    };
    const runs = { seed: 1, numRuns: 1_000, endOnFailure: true };
    expect(fc.check(findsAll(forgetful), runs).failed).toBe(true);
  });
});

const pageSize = 3;

/** A platform that ends at a cursor whose asset is gone, with so many of its first assets again. */
function openPlatform(size: number, repeats: number) {
  let assets = Array.from({ length: size }, (_, at) => String(at + 1));
  return {
    get assets() {
      return assets;
    },
    remove(id: string | undefined): void {
      assets = assets.filter((other) => other !== id);
    },
    page(cursor: string | null): PlatformResponse {
      const from = cursor === null ? 0 : assets.indexOf(cursor) + 1;
      const isGone = cursor !== null && !assets.includes(cursor);
      const ids = isGone ? assets.slice(0, repeats) : assets.slice(from, from + pageSize);
      const more = !isGone && from + pageSize < assets.length;
      return page({
        assets: ids.map(asset),
        reportedTotalCount: assets.length,
        more,
        lastAssetId: more ? (ids.at(-1) ?? null) : null,
      });
    },
  };
}

/** A refresh whose scan recorded pages that lead to these cursors. */
interface StoredScan {
  readonly refresh: Refresh;
  readonly recorded: readonly (RecordedPage & { readonly ids: readonly string[] })[];
}

function collecting(cursors: readonly string[]): StoredScan {
  const queued = acceptedRefresh({ phase: 'queued' });
  const started = applied(queued, {
    fact: 'scan_started',
    atMs: 0,
    deadlineMs: 1,
    sequence: 1,
    worker: 'a',
    expectedPages: null,
  });
  return cursors.reduce<StoredScan>(
    ({ refresh, recorded }, nextCursor) => ({
      refresh: applied(refresh, { fact: 'page_recorded', reportedTotalCount: 9, assetsRead: 0 }),
      recorded: [...recorded, { index: recorded.length, nextCursor, assetKeys: noKeys, ids: [] }],
    }),
    { refresh: started, recorded: [] },
  );
}

function applied(refresh: Refresh, fact: Fact): Refresh {
  const step = advance(refresh, fact);
  if (step.step !== 'changed') throw new Error(`${fact.fact}: ${step.step}`);
  return step.next;
}

function takenOver({ refresh, recorded }: StoredScan): StoredScan {
  return { refresh: applied(refresh, { fact: 'scan_taken', worker: 'b' }), recorded };
}

function takenOverForgetful(stored: StoredScan): StoredScan {
  const { refresh, recorded } = takenOver(stored);
  const scan = refresh.scan && {
    ...refresh.scan,
    endCheck: { ...refresh.scan.endCheck, attempts: 0 },
  };
  return { refresh: { ...refresh, scan }, recorded };
}

/** Checks of a scan that is taken over before each request and never finds its end. */
function checksOf(takeOver: (stored: StoredScan) => StoredScan): number {
  let stored = collecting(['10', '20']);
  let checks = 0;
  for (let request = 0; request < 40; request += 1) {
    stored = takeOver(stored);
    const step = nextStep(attempt(progressOfStored(stored)), blankOrMoved(request), rules);
    if (step.step === 'fail') break;
    checks += Number(step.step === 'check_end');
    stored = recordStep(stored, step);
  }
  return checks;
}

function progressOfStored({ refresh, recorded }: StoredScan): ScanProgress {
  return resumedProgress(recorded, refresh.scan ?? freshProgress);
}

/** What a worker stores of a step before the next request. */
function recordStep({ refresh, recorded }: StoredScan, step: ScanStep): StoredScan {
  if (step.step === 'check_end') {
    const { cursor } = step.progress.endCheck;
    return { refresh: applied(refresh, { fact: 'end_doubted', cursor }), recorded };
  }
  if (step.step !== 'save') return { refresh, recorded };
  const { reportedTotalCount } = step.page;
  const { assetsRead } = step.progress;
  const nextCursor = step.done ? null : (step.progress.cursors.at(-1) ?? null);
  const ids = step.page.assets.map(({ assetid }) => assetid);
  const assetKeys = step.progress.assetKeys[step.index] ?? noKeys;
  return {
    refresh: applied(refresh, { fact: 'page_recorded', reportedTotalCount, assetsRead }),
    recorded: [...recorded, { index: step.index, nextCursor, assetKeys, ids }],
  };
}

/** The page before the end ends elsewhere each time, and nothing is left after it. */
const blankOrMoved = (request: number): PlatformResponse =>
  request % 2 === 0 ? blankEnd : pageTo(`4${request}`);

/** Assets found by a complete scan, whose worker may change before any request; null when it is incomplete. */
function scanAll(
  platform: ReturnType<typeof openPlatform>,
  removals: readonly boolean[],
  crashes: readonly boolean[],
  next: typeof nextStep = nextStep,
): Set<string> | null {
  let stored = collecting([]);
  let progress = freshProgress;
  for (let request = 0; ; request += 1) {
    if (removals[request]) platform.remove(progress.cursors.at(-1));
    if (crashes[request]) progress = progressOfStored(stored);
    const step = next(attempt(progress), platform.page(progress.cursors.at(-1) ?? null), rules);
    if (step.step === 'fail') return null;
    progress = step.progress;
    stored = recordStep(stored, step);
    if (step.step === 'save' && step.done) {
      return new Set(pagesInOrder(stored.recorded).flatMap(({ ids }) => ids));
    }
  }
}
