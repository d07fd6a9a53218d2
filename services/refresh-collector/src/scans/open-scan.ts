import { Refused } from '@inventory/http/refused';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { pause } from '@inventory/runtime/wait';
import { firstTries, type PageTries } from '../egress/page-verdicts.domain.ts';
import type { Saga } from '../saga/open-saga.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { StagedPageRecord } from '../saga/refresh-document.ts';
import type { PageStaging } from './page-staging.ts';
import {
  freshProgress,
  resumedProgress,
  type ScanProgress,
  type ScanRules,
} from './scan.domain.ts';
import type { ClaimedScan } from './scan-store.ts';
import type { Scans } from './scans.ts';

const stagingBackoff = { firstMs: 200, maxMs: 10_000 } as const;

/** How far the pages of a scan are read. */
interface ReadingState {
  readonly progress: ScanProgress;
  readonly tries: PageTries;
}

export interface ScanState extends ReadingState {
  /** As last written by this worker. */
  readonly refresh: Refresh;
  /** Staged and recorded pages, and the last one that is about to be. */
  readonly pages: readonly StagedPageRecord[];
}

/** A scan whose last page may still be staged and recorded while the next one is read. */
export interface OpenScan extends ReadingState {
  /** As recorded before that page. */
  readonly before: ScanState;
  /** The state once that page is recorded; undefined when the scan ended or its lease is lost. */
  readonly recorded: Promise<ScanState | undefined>;
  /** Whether the page that is read next is ahead of one that may not be recorded yet. */
  readonly isAhead: boolean;
  /** Aborted when that page is not recorded: no slot is waited for any more. */
  readonly lost: AbortSignal;
}

/** A scan as it is stored, or will be once its start is written: its first page may be read meanwhile. */
export function claimedScan({ pages, refresh, starting }: ClaimedScan, rules: ScanRules): OpenScan {
  const progress = resumedProgress(pages, refresh.scan ?? freshProgress);
  const state = { refresh, progress, tries: firstTries(rules.count), pages };
  if (starting === undefined) return recordedScan(state);
  const recorded = starting.then((written) =>
    written === null ? undefined : { ...state, refresh: written },
  );
  return { ...scanBeingRecorded(state, state, recorded), isAhead: false };
}

/** A scan without a page on its way. */
export function recordedScan(state: ScanState): OpenScan {
  const { progress, tries } = state;
  const { signal: lost } = new AbortController();
  return { progress, tries, before: state, recorded: Promise.resolve(state), isAhead: false, lost };
}

/** A scan whose page is being staged and recorded while the next one may be read. */
export function scanBeingRecorded(
  before: ScanState,
  { progress, tries }: ReadingState,
  recorded: Promise<ScanState | undefined>,
): OpenScan {
  const lost = new AbortController();
  const stop = () => lost.abort();
  recorded.then((state) => state ?? stop(), stop);
  return { progress, tries, before, recorded, isAhead: true, lost: lost.signal };
}

/** Ends reading once the last page is recorded. */
export async function leave({ recorded }: OpenScan): Promise<undefined> {
  await recorded;
}

/** Whether a scan is still this worker's. Otherwise the page ahead is another one's, or its refresh ended. */
export async function isClaimed(
  { refreshes }: Saga,
  { refresh, epoch }: ClaimedScan,
): Promise<boolean> {
  const stored = await refreshes.findRefresh(refresh.refreshId);
  return stored?.phase === 'collecting' && stored.scan?.epoch === epoch;
}

/**
 * Retries until the scan's deadline while the revision-store is unavailable, or until the worker
 * leaves the scan. Throws where it refuses the page itself: it would do so every time.
 */
export async function ofRevisionStore<Result>(
  { staging, saga }: Scans,
  claimed: ClaimedScan,
  { signal, ending }: { readonly signal: AbortSignal; readonly ending: AbortSignal },
  call: (staging: PageStaging) => Promise<Result>,
): Promise<Result | undefined> {
  for (let failures = 1; !signal.aborted && !isOverdue(saga, claimed); failures += 1) {
    try {
      return await call(staging);
    } catch (error) {
      if (error instanceof Refused) throw error;
      saga.logger.warn({ err: error, failures }, 'page not staged');
      if (ending.aborted) return undefined;
      await pause(jitteredDelayMs(stagingBackoff, failures), ending);
    }
  }
  return undefined;
}

export function timeLeftMs({ clock }: Saga, { refresh }: ClaimedScan): number {
  return Math.max(0, (refresh.collectDeadlineMs ?? 0) - clock.now());
}

export function isOverdue(saga: Saga, claimed: ClaimedScan): boolean {
  return timeLeftMs(saga, claimed) === 0;
}
