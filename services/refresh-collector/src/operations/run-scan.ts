import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import { pause } from '@inventory/runtime/wait';
import type { RevisionStoreClient } from '../clients/revision-store-client.ts';
import type { PlatformPage } from '../domain/platform-page.ts';
import type { Fact } from '../domain/refresh-saga.ts';
import {
  freshProgress,
  freshTries,
  nextStep,
  type PageTries,
  type ScanProgress,
  type ScanRules,
  type ScanStep,
} from '../domain/scan.ts';
import type { ClaimedScan, ScanStore } from '../storage/scan-store.ts';
import { applyFact, type SagaDependencies } from './apply-fact.ts';
import { type PageReadingDependencies, readPage } from './read-page.ts';

export interface ScanDependencies {
  readonly saga: SagaDependencies;
  readonly scans: ScanStore;
  readonly reading: PageReadingDependencies;
  readonly store: RevisionStoreClient;
  readonly rules: ScanRules;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface ScanState {
  readonly progress: ScanProgress;
  readonly tries: PageTries;
  readonly avoid: readonly string[];
}

const breakerPauseMs = 1_000;
const stagingBackoff = { firstMs: 200, maxMs: 10_000 } as const;

/**
 * Reads a claimed scan to its end, from wherever its last worker left it. Returns when the scan
 * ended, was taken away, or the process stops; what was staged and recorded stays either way.
 */
export async function runScan(
  dependencies: ScanDependencies,
  claimed: ClaimedScan,
  stopping: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const renewal = setInterval(() => {
    dependencies.scans.renew(claimed).then(
      (kept) => {
        if (!kept) lost.abort();
      },
      (error: unknown) => dependencies.logger.warn({ err: error }, 'lease not renewed'),
    );
  }, dependencies.leaseMs / 3);
  try {
    await readAllPages(dependencies, claimed, signal);
  } finally {
    clearInterval(renewal);
    await dependencies.scans.freeInventory(claimed);
  }
}

async function readAllPages(
  dependencies: ScanDependencies,
  claimed: ClaimedScan,
  signal: AbortSignal,
): Promise<void> {
  let state: ScanState | undefined = resumedState(claimed, dependencies.rules);
  while (state && !signal.aborted) {
    if (isOverdue(dependencies, claimed)) {
      return end(dependencies, claimed, { fact: 'collect_deadline_passed' });
    }
    if (dependencies.reading.breakers.isOpen(claimed.refresh.scope.app_id)) {
      await pause(breakerPauseMs, signal);
      continue;
    }
    const current: ScanState = state;
    state = await inSpan({ name: 'scan page', parent: claimed.trace }, () =>
      readOnePage(dependencies, claimed, current, signal),
    );
  }
}

/** The state to go on with; undefined when the scan is over or not ours any more. */
async function readOnePage(
  dependencies: ScanDependencies,
  claimed: ClaimedScan,
  state: ScanState,
  signal: AbortSignal,
): Promise<ScanState | undefined> {
  const { refresh } = claimed;
  const { progress, tries, avoid } = state;
  const overdue = AbortSignal.timeout(timeLeftMs(dependencies, claimed));
  const result = await readPage(
    dependencies.reading,
    {
      accountId: refresh.accountId,
      scope: refresh.scope,
      language: refresh.language,
      count: tries.count,
      startAssetId: tries.probing ? null : progress.cursor,
      live: false,
      avoid,
    },
    AbortSignal.any([signal, overdue]),
  );
  if (!result) return signal.aborted ? undefined : state;
  const moment = {
    progress,
    tries,
    identity: result.identityId,
    identities: dependencies.reading.egress.length,
  };
  const step = nextStep(moment, result.answer, dependencies.rules);
  return carryOut(dependencies, claimed, state, step, signal);
}

async function carryOut(
  dependencies: ScanDependencies,
  claimed: ClaimedScan,
  state: ScanState,
  step: ScanStep,
  signal: AbortSignal,
): Promise<ScanState | undefined> {
  if (step.step === 'fail') {
    await end(dependencies, claimed, { fact: 'scan_failed', outcome: step.outcome });
    return undefined;
  }
  for (const identityId of step.blocked) await dependencies.reading.identities.block(identityId);
  if (step.step === 'again') {
    await pause(step.pauseMs, signal);
    return { ...state, tries: step.tries, avoid: step.avoid };
  }
  const pageNumber = state.progress.pages;
  const saved = await stageAndSave(dependencies, claimed, pageNumber, step, signal);
  if (!saved) return undefined;
  if (step.done) {
    const completedAtMs = dependencies.clock.now();
    await end(dependencies, claimed, { fact: 'scan_completed', completedAtMs });
    return undefined;
  }
  return { progress: step.progress, tries: freshTries({ count: state.tries.count }), avoid: [] };
}

/** Durable in the revision-store first, then recorded here; false when the scan is lost. */
async function stageAndSave(
  dependencies: ScanDependencies,
  claimed: ClaimedScan,
  pageNumber: number,
  step: Extract<ScanStep, { step: 'save' }>,
  signal: AbortSignal,
): Promise<boolean> {
  const { epoch } = claimed;
  const { id } = claimed.refresh;
  const staged = await stage(dependencies, claimed, pageNumber, step.page, signal);
  if (!staged) return false;
  const record = { ...staged, nextCursor: step.progress.cursor };
  return dependencies.scans.savePage(id, epoch, record, step.page.reportedTotalCount);
}

/** The revision-store being away is not the platform's fault: try until the scan's deadline. */
async function stage(
  dependencies: ScanDependencies,
  claimed: ClaimedScan,
  pageNumber: number,
  page: PlatformPage,
  signal: AbortSignal,
) {
  const place = { scanId: claimed.refresh.id, epoch: claimed.epoch, page: pageNumber };
  for (let failures = 1; !signal.aborted && !isOverdue(dependencies, claimed); failures += 1) {
    try {
      return await dependencies.store.stagePage(place, page);
    } catch (error) {
      dependencies.logger.warn({ err: error, failures }, 'page not staged');
      await pause(jitteredDelayMs(stagingBackoff, failures), signal);
    }
  }
  return undefined;
}

/** Ends the scan, unless another worker has it by now. */
async function end(
  dependencies: ScanDependencies,
  claimed: ClaimedScan,
  fact: Fact,
): Promise<void> {
  await inSpan({ name: `end scan ${fact.fact}`, parent: claimed.trace }, () =>
    applyFact(
      dependencies.saga,
      claimed.refresh.id,
      fact,
      'outbox',
      (refresh) => refresh.phase === 'collecting' && refresh.scan?.epoch === claimed.epoch,
    ),
  );
}

function resumedState(claimed: ClaimedScan, rules: ScanRules): ScanState {
  const cursors = claimed.pages.flatMap(({ nextCursor }) => nextCursor ?? []);
  const progress: ScanProgress = {
    ...freshProgress,
    cursor: cursors.at(-1) ?? null,
    cursors,
    pages: claimed.pages.length,
    reportedTotalCount: claimed.refresh.scan?.reportedTotalCount ?? null,
  };
  return { progress, tries: freshTries(rules), avoid: [] };
}

function timeLeftMs({ clock }: ScanDependencies, { refresh }: ClaimedScan): number {
  return Math.max(0, (refresh.collectDeadlineMs ?? 0) - clock.now());
}

function isOverdue(dependencies: ScanDependencies, claimed: ClaimedScan): boolean {
  return timeLeftMs(dependencies, claimed) === 0;
}
