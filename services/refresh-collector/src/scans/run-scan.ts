import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { Refused } from '@inventory/http/refused';
import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { invariant } from '@inventory/runtime/bug';
import type { HeldLease } from '@inventory/runtime/hold-lease';
import { inSpan } from '@inventory/runtime/tracing';
import { pause } from '@inventory/runtime/wait';
import {
  avoidedIdentities,
  type PageTries,
  requestsFirstPage,
  unreachableIdentities,
} from '../egress/page-verdicts.domain.ts';
import { readPage } from '../egress/read-page.ts';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import { applyTo } from '../saga/apply-fact.ts';
import type { StagedPageRecord } from '../saga/refresh-document.ts';
import type { Fact } from '../saga/refresh-fact.domain.ts';
import {
  claimedScan,
  isClaimed,
  isOverdue,
  leave,
  type OpenScan,
  ofRevisionStore,
  recordedScan,
  type ScanState,
  scanBeingRecorded,
  timeLeftMs,
} from './open-scan.ts';
import { pageDueMs } from './page-due.domain.ts';
import { nextStep, type ScanProgress, type ScanStep } from './scan.domain.ts';
import type { ClaimedScan } from './scan-store.ts';
import { type Scans, scanRules } from './scans.ts';

/** The hold of a worker on its scan. */
export interface ScanHold extends HeldLease {
  /** Aborted also when the worker leaves the scan to another one, with the page in flight recorded. */
  readonly ending: AbortSignal;
}

const breakerPauseMs = 1_000;

/**
 * Reads a claimed scan to its end, from the last recorded page on. A page is read while the one before
 * is staged and recorded, and staged once that one is recorded; so is the first page while the start of
 * the scan is written. Returns when the scan or its lease ended, or with the page in flight when the
 * worker leaves it; staged and recorded pages stay. Rejects while the database is unavailable. Any other
 * error ends the scan: it would occur again whenever the page is read.
 */
export async function runScan(scans: Scans, taken: ClaimedScan, hold: ScanHold): Promise<void> {
  const { scope } = taken.refresh;
  const inventoryEpoch = await ofRevisionStore(scans, taken, hold, (staging) =>
    staging.readEpoch(scope),
  );
  const claimed = { ...taken, ...(inventoryEpoch === undefined ? {} : { inventoryEpoch }) };
  let scan: OpenScan | undefined = claimedScan(claimed, scanRules(scans));
  while (scan) {
    const current: OpenScan = scan;
    try {
      const isLeft = hold.ending.aborted || !hold.isHeld();
      scan = isLeft ? await leave(current) : await readNextPage(scans, claimed, current, hold);
    } catch (error) {
      const state = await current.recorded.catch(() => current.before);
      if (isMongoUnavailable(error)) throw error;
      const isErased = error instanceof Refused && error.refusal.code === 'inventory_erased';
      const outcome = isErased ? 'incomplete' : 'internal_failure';
      const details = { err: error, refresh_id: claimed.refresh.refreshId };
      if (!isErased) scans.saga.logger.error(details, 'scan failed by a fault');
      if (state) await end(scans, state, { fact: 'scan_failed', outcome });
      return;
    }
  }
}

/** The scan after the page; undefined when it ended or its lease is lost. */
async function readNextPage(
  scans: Scans,
  claimed: ClaimedScan,
  scan: OpenScan,
  hold: ScanHold,
): Promise<OpenScan | undefined> {
  if (isOverdue(scans.saga, claimed)) {
    const state = await scan.recorded;
    if (state) await end(scans, state, { fact: 'collect_deadline_passed' });
    return undefined;
  }
  if (scan.isAhead && !(await isClaimed(scans.saga, claimed))) return leave(scan);
  if (!(await scans.egress.breakers.admits(claimed.refresh.scope.app_id))) {
    await pause(breakerPauseMs, hold.ending);
    return scan;
  }
  return inSpan({ name: 'scan page', parent: claimed.refresh.trace }, () =>
    readOnePage(scans, claimed, scan, hold),
  );
}

async function readOnePage(
  scans: Scans,
  claimed: ClaimedScan,
  scan: OpenScan,
  hold: ScanHold,
): Promise<OpenScan | undefined> {
  const { refresh } = claimed;
  const { progress, tries, lost } = scan;
  const identities = scans.egress.identities.map(({ id }) => id);
  const overdue = AbortSignal.timeout(timeLeftMs(scans.saga, claimed));
  const result = await readPage(
    scans.egress,
    {
      accountId: refresh.accountId,
      scope: refresh.scope,
      language: refresh.language,
      count: tries.size.count,
      startAssetId: requestsFirstPage(tries) ? null : (progress.cursors.at(-1) ?? null),
      deadlineMs: dueMs(claimed, progress, tries),
      avoid: avoidedIdentities(tries, identities),
      unreachable: unreachableIdentities(tries),
    },
    AbortSignal.any([hold.ending, overdue, lost]),
  );
  if (!result) return hold.signal.aborted || lost.aborted ? leave(scan) : scan;
  const attempt = { progress, tries, identity: result.identityId, identities };
  const { response, text } = await asStaged(scans, result.response);
  const step = nextStep(attempt, response, scanRules(scans));
  const state = await scan.recorded;
  return state && applyStep(scans, claimed, state, { step, text }, hold);
}

/** A response, and the text of its page. A page that cannot be saved is a response that is too large. */
interface StagedResponse {
  readonly response: PlatformResponse;
  readonly text: Buffer | null;
}

async function asStaged({ staging }: Scans, response: PlatformResponse): Promise<StagedResponse> {
  if (response.kind !== 'page') return { response, text: null };
  const text = await staging.textOf(response.page);
  return { response: text ? response : { kind: 'too_large' }, text };
}

async function applyStep(
  scans: Scans,
  claimed: ClaimedScan,
  state: ScanState,
  { step, text }: { readonly step: ScanStep; readonly text: Buffer | null },
  hold: ScanHold,
): Promise<OpenScan | undefined> {
  if (step.step === 'fail') {
    await end(scans, state, { fact: 'scan_failed', outcome: step.outcome });
    return undefined;
  }
  for (const identityId of step.cooldowns) await scans.egress.pool.coolDownIdentity(identityId);
  if (step.step === 'check_end') return recordDoubt(scans, state, step);
  if (step.step === 'retry') {
    await pause(Math.min(step.pauseMs, timeLeftMs(scans.saga, claimed)), hold.ending);
    return recordedScan({ ...state, progress: step.progress, tries: step.tries });
  }
  invariant(text !== null, 'a page that is saved has a text');
  const recorded = stageAndRecord(scans, claimed, state, { step, text }, hold);
  // Nothing is read after the last page, nor where the plan takes the size of the scan from this one.
  const isSized = step.page.reportedTotalCount === state.progress.reportedTotalCount;
  if (isSized && !step.done) return scanBeingRecorded(state, step, recorded);
  const next = await recorded;
  return next && recordedScan(next);
}

/** Stored before the page is read again, so that the checks are counted over all workers. */
async function recordDoubt(
  { saga }: Scans,
  state: ScanState,
  { progress, tries }: Extract<ScanStep, { step: 'check_end' }>,
): Promise<OpenScan | undefined> {
  const fact = { fact: 'end_doubted', cursor: progress.endCheck.cursor } as const;
  const { refresh } = state;
  const recorded = await applyTo(saga, refresh, fact, { repetition: 'resend' });
  return recorded?.step === 'changed'
    ? recordedScan({ ...state, refresh: recorded.refresh, progress, tries })
    : undefined;
}

/**
 * Stages the page in the revision-store, then records it; the last page is recorded by the write
 * that ends the scan. Undefined when the scan ended or its lease is lost.
 */
async function stageAndRecord(
  scans: Scans,
  claimed: ClaimedScan,
  state: ScanState,
  { step, text }: { readonly step: Extract<ScanStep, { step: 'save' }>; readonly text: Buffer },
  hold: ScanHold,
): Promise<ScanState | undefined> {
  const staged = await stage(scans, claimed, state.progress.pages, text, hold);
  if (!staged) return undefined;
  const { index, progress } = step;
  const nextCursor = progress.cursors[index] ?? null;
  const assetKeys = progress.assetKeys[index];
  const page = { ...staged, index, nextCursor, ...(assetKeys ? { assetKeys } : {}) };
  const next: ScanState = {
    refresh: state.refresh,
    progress,
    tries: step.tries,
    pages: [...state.pages, page],
  };
  if (step.done) {
    const completedAtMs = scans.saga.clock.now();
    await end(scans, next, { fact: 'scan_completed', completedAtMs }, page);
    return undefined;
  }
  const { reportedTotalCount } = step.page;
  const { assetsRead } = progress;
  const recorded = await applyTo(
    scans.saga,
    state.refresh,
    { fact: 'page_recorded', reportedTotalCount, assetsRead },
    { repetition: 'resend', lastPage: page },
  );
  return recorded?.step === 'changed' ? { ...next, refresh: recorded.refresh } : undefined;
}

function stage(
  scans: Scans,
  claimed: ClaimedScan,
  page: number,
  text: Buffer,
  hold: ScanHold,
): Promise<ManifestPage | undefined> {
  const { refresh, epoch, inventoryEpoch } = claimed;
  invariant(inventoryEpoch !== undefined, 'no page is read before the epoch of its inventory');
  const index = { scanId: refresh.refreshId, epoch, page, inventoryEpoch };
  return ofRevisionStore(scans, claimed, hold, (staging) => staging.stagePage(index, text));
}

/** Ends the scan unless it changed meanwhile: then it was ended or taken by another worker. */
async function end(
  { saga }: Scans,
  { refresh, progress, pages }: ScanState,
  fact: Fact,
  lastPage?: StagedPageRecord,
): Promise<void> {
  const scan = refresh.scan && {
    ...refresh.scan,
    pages: progress.pages,
    assetsRead: progress.assetsRead,
    reportedTotalCount: progress.reportedTotalCount,
  };
  await inSpan({ name: `end scan ${fact.fact}`, parent: refresh.trace }, () =>
    applyTo(saga, { ...refresh, scan }, fact, {
      repetition: 'resend',
      pages,
      ...(lastPage ? { lastPage } : {}),
    }),
  );
}

function dueMs(
  { refresh }: ClaimedScan,
  { reportedTotalCount }: ScanProgress,
  { responses }: PageTries,
): number {
  const { scan, collectDeadlineMs, expectedPages } = refresh;
  return pageDueMs(
    {
      startedAtMs: scan?.startedAtMs ?? 0,
      deadlineMs: collectDeadlineMs ?? 0,
      isSizeKnown: reportedTotalCount !== null || expectedPages !== null,
    },
    responses.length,
  );
}
