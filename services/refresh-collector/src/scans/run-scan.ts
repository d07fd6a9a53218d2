import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { HeldLease } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import { pause } from '@inventory/runtime/wait';
import type { StagedPageRecord } from '../collections.ts';
import type { PlatformPage } from '../egress/platform-page.domain.ts';
import { type PageReadingDeps, readPage } from '../egress/read-page.ts';
import { applyTo, type SagaDeps } from '../refreshes/apply-fact.ts';
import type { Refresh } from '../refreshes/refresh.domain.ts';
import type { Fact } from '../refreshes/refresh-saga.domain.ts';
import type { RevisionStoreClient } from '../refreshes/revision-store-client.ts';
import {
  asksFirstPage,
  avoidedIdentities,
  firstTries,
  type PageTries,
} from './page-verdicts.domain.ts';
import {
  nextStep,
  resumedProgress,
  type ScanProgress,
  type ScanRules,
  type ScanStep,
} from './scan.domain.ts';
import type { ClaimedScan } from './scan-store.ts';

export interface ScanDeps {
  readonly saga: SagaDeps;
  readonly reading: PageReadingDeps;
  readonly store: RevisionStoreClient;
  readonly rules: ScanRules;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface ScanState {
  /** As this worker wrote it last. */
  readonly refresh: Refresh;
  readonly progress: ScanProgress;
  readonly tries: PageTries;
  /** Staged and recorded, all but the one in hand. */
  readonly pages: readonly StagedPageRecord[];
}

const breakerPauseMs = 1_000;
const stagingBackoff = { firstMs: 200, maxMs: 10_000 } as const;

/**
 * Reads a claimed scan to its end, from wherever its last worker left it. Returns when the scan
 * ended or its lease did; what was staged and recorded stays either way.
 */
export async function runScan(
  deps: ScanDeps,
  claimed: ClaimedScan,
  { signal, isHeld }: Pick<HeldLease, 'signal' | 'isHeld'>,
): Promise<void> {
  let state: ScanState | undefined = resumedState(claimed, deps.rules);
  while (state && !signal.aborted && isHeld()) {
    if (isOverdue(deps, claimed)) {
      return end(deps, claimed, state, { fact: 'collect_deadline_passed' });
    }
    if (!(await deps.reading.breakers.admits(claimed.refresh.scope.app_id))) {
      await pause(breakerPauseMs, signal);
      continue;
    }
    const current: ScanState = state;
    state = await inSpan({ name: 'scan page', parent: claimed.trace }, () =>
      readOnePage(deps, claimed, current, signal),
    );
  }
}

/** The state to go on with; undefined when the scan is over or not ours any more. */
async function readOnePage(
  deps: ScanDeps,
  claimed: ClaimedScan,
  state: ScanState,
  signal: AbortSignal,
): Promise<ScanState | undefined> {
  const { refresh } = claimed;
  const { progress, tries } = state;
  const identities = deps.reading.egress.map(({ id }) => id);
  const overdue = AbortSignal.timeout(timeLeftMs(deps, claimed));
  const result = await readPage(
    deps.reading,
    {
      accountId: refresh.accountId,
      scope: refresh.scope,
      language: refresh.language,
      count: tries.size.count,
      startAssetId: asksFirstPage(tries) ? null : (progress.cursors.at(-1) ?? null),
      deadlineMs: refresh.collectDeadlineMs ?? 0,
      avoid: avoidedIdentities(tries, identities),
    },
    AbortSignal.any([signal, overdue]),
  );
  if (!result) return signal.aborted ? undefined : state;
  const moment = { progress, tries, identity: result.identityId, identities };
  const step = nextStep(moment, result.answer, deps.rules);
  return carryOut(deps, claimed, state, step, signal);
}

async function carryOut(
  deps: ScanDeps,
  claimed: ClaimedScan,
  state: ScanState,
  step: ScanStep,
  signal: AbortSignal,
): Promise<ScanState | undefined> {
  if (step.step === 'fail') {
    await end(deps, claimed, state, { fact: 'scan_failed', outcome: step.outcome });
    return undefined;
  }
  for (const identityId of step.rests) await deps.reading.identities.rest(identityId);
  if (step.step === 'again') {
    await pause(step.pauseMs, signal);
    return { ...state, progress: step.progress, tries: step.tries };
  }
  return stageAndRecord(deps, claimed, state, step, signal);
}

/**
 * Durable in the revision-store first, then recorded here; the last page in the same write that
 * ends the scan. Undefined when the scan is over or not ours any more.
 */
async function stageAndRecord(
  deps: ScanDeps,
  claimed: ClaimedScan,
  state: ScanState,
  step: Extract<ScanStep, { step: 'save' }>,
  signal: AbortSignal,
): Promise<ScanState | undefined> {
  const staged = await stage(deps, claimed, state.progress.pages, step.page, signal);
  if (!staged) return undefined;
  const nextCursor = step.done ? null : (step.progress.cursors.at(-1) ?? null);
  const page = { ...staged, place: step.place, nextCursor };
  const next: ScanState = {
    refresh: state.refresh,
    progress: step.progress,
    tries: step.tries,
    pages: [...state.pages, page],
  };
  if (step.done) {
    const completedAtMs = deps.clock.now();
    await end(deps, claimed, next, { fact: 'scan_completed', completedAtMs }, page);
    return undefined;
  }
  const { reportedTotalCount } = step.page;
  const recorded = await applyTo(
    deps.saga,
    { refresh: state.refresh, trace: claimed.trace },
    { fact: 'page_recorded', reportedTotalCount },
    { deliveryMode: 'outbox', lastPage: page },
  );
  return recorded?.step === 'changed' ? { ...next, refresh: recorded.refresh } : undefined;
}

/** The revision-store being away is not the platform's fault: try until the scan's deadline. */
async function stage(
  deps: ScanDeps,
  claimed: ClaimedScan,
  pageNumber: number,
  page: PlatformPage,
  signal: AbortSignal,
) {
  const place = { scanId: claimed.refresh.id, epoch: claimed.epoch, page: pageNumber };
  for (let failures = 1; !signal.aborted && !isOverdue(deps, claimed); failures += 1) {
    try {
      return await deps.store.stagePage(place, page);
    } catch (error) {
      deps.logger.warn({ err: error, failures }, 'page not staged');
      await pause(jitteredDelayMs(stagingBackoff, failures), signal);
    }
  }
  return undefined;
}

/** Ends the scan as this worker knows it; whoever changed it meanwhile has ended or taken it. */
async function end(
  deps: ScanDeps,
  claimed: ClaimedScan,
  { refresh, progress, pages }: ScanState,
  fact: Fact,
  lastPage?: StagedPageRecord,
): Promise<void> {
  const { trace } = claimed;
  const scan = refresh.scan && {
    ...refresh.scan,
    pages: progress.pages,
    reportedTotalCount: progress.reportedTotalCount,
  };
  const stored = { refresh: { ...refresh, scan }, trace };
  await inSpan({ name: `end scan ${fact.fact}`, parent: trace }, () =>
    applyTo(deps.saga, stored, fact, {
      deliveryMode: 'outbox',
      pages,
      ...(lastPage ? { lastPage } : {}),
    }),
  );
}

function resumedState({ pages, refresh }: ClaimedScan, rules: ScanRules): ScanState {
  const progress = resumedProgress(pages, refresh.scan?.reportedTotalCount ?? null);
  return { refresh, progress, tries: firstTries(rules), pages };
}

function timeLeftMs({ clock }: ScanDeps, { refresh }: ClaimedScan): number {
  return Math.max(0, (refresh.collectDeadlineMs ?? 0) - clock.now());
}

function isOverdue(deps: ScanDeps, claimed: ClaimedScan): boolean {
  return timeLeftMs(deps, claimed) === 0;
}
