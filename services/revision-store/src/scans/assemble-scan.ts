import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { holdLease, LeaseLost } from '@inventory/runtime/hold-lease';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { Retention } from '../domain/retention.ts';
import { type DecidedScan, pagesInOrder, type ScanResult } from '../domain/scan.ts';
import { withJoins, writesNothing } from '../domain/scan-comparison.ts';
import {
  addPage,
  endsInRepetition,
  openSurvey,
  repeatsAtEnd,
  type Survey,
} from '../domain/survey.ts';
import type { BlockStore } from '../storage/block-store.ts';
import type { ChangeStore } from '../storage/change-store.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import type { ObservationStore } from '../storage/observation-store.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import type { ScopeLease, ScopeStore } from '../storage/scope-store.ts';
import type { ClaimedScan, RequestedLease } from '../storage/waiting-scans.ts';
import { work } from '../work.ts';
import { commitScan, type ScanToCommit } from './commit-scan.ts';
import { compareScan, contentsOf } from './compare-with-head.ts';
import { decideScan, settleLastResult } from './decide-scan.ts';
import type { KnownContents } from './known-contents.ts';
import { PagesInvalid } from './read-staged-page.ts';
import { openStagedPages, type StagedPages } from './staged-pages.ts';
import { writeChanges } from './write-changes.ts';
import { writeRevision } from './write-revision.ts';

/** Pages whose surveys are read together, while those before them are added. */
const batchPages = 16;

export interface AssembleScanDeps {
  readonly scans: ScanStore;
  readonly scopes: ScopeStore;
  readonly chunks: Pick<
    ChunkStore,
    'readChunks' | 'readSurveys' | 'readSurveyed' | 'dropChunks' | 'isReadSince'
  >;
  readonly blocks: BlockStore;
  readonly changes: ChangeStore;
  readonly observations: Pick<ObservationStore, 'keepSuperseded'>;
  readonly contents: KnownContents;
  /** Sends the outcome of a decided scan; where it is lost, the collector sends its command again. */
  readonly sendOutcome: (decided: DecidedScan, scopeKey: string) => Promise<void>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly settings: AssemblySettings;
}

export interface AssemblySettings {
  readonly leaseMs: number;
  /** How long a manifest may name chunks that are not there. */
  readonly missingPagesWaitMs: number;
  /** Assets of one block of a new revision. */
  readonly blockAssets: number;
  /** Chunks of one page at most. */
  readonly pageChunksMax: number;
  readonly retention: Retention;
}

export type AssemblyEnd =
  | {
      readonly result: 'decided';
      readonly decision: ScanResult;
      /** Its outcome was sent and its chunks are dropped. */
      readonly isReported: boolean;
    }
  | { readonly result: 'postponed'; readonly why: 'inventory_busy' | 'pages_missing' };

/** Tries that crashed or failed by an internal fault; a claim counts its try before the work begins. */
const triesMax = 6;

const decided = (decision: ScanResult, isReported = false): AssemblyEnd => ({
  result: 'decided',
  decision,
  isReported,
});

/**
 * Assembles one claimed scan under its inventory's lease:
 *
 * 1. acquire the lease, where it was not requested as the scan was received; settle the result of the
 *    previous scan if its worker crashed before it did; reject a scan whose tries are used up;
 * 2. survey the pages; wait for missing ones, reject the scan for invalid ones. Pages of the same bytes as
 *    those of an earlier scan are known to say the same, and are not read where the head has all of it;
 * 3. compare with the head and write blocks and changes under ids of this try alone. After a crash up to here
 *    the pruner deletes the unreferenced blocks and another worker starts again;
 * 4. commit (`commitScan`), which releases the lease.
 */
export async function assembleScan(
  deps: AssembleScanDeps,
  claimed: ClaimedScan,
  stopping: AbortSignal,
): Promise<AssemblyEnd> {
  const { scopes, clock, logger, settings } = deps;
  const { lease, sentMs } = await leaseFor(deps, claimed);
  if (lease === null) return { result: 'postponed', why: 'inventory_busy' };
  const held = holdLease({
    name: work.inventories.name,
    leaseMs: settings.leaseMs,
    sentMs,
    stopping,
    clock,
    logger,
    renew: () => scopes.renewLease(lease),
  });
  let isReleased = false;
  const onReleased = () => {
    isReleased = true;
    held.end();
  };
  const { signal } = held;
  try {
    return await assembleUnderLease(deps, { claimed, lease, signal, onReleased });
  } catch (error) {
    // What was written since it was lost, after an erasure too, is not referred to.
    if (error instanceof LeaseLost) await scopes.requestPrune(claimed.scopeKey, clock.now());
    throw error;
  } finally {
    held.end();
    if (!isReleased) await release(deps, lease);
  }
}

/** The pruner, and a duplicate of an earlier scan, hold a lease for a moment only. */
const lookAgainMs = 50;
const looksMax = 6;

/** Waits for a moment where the scan has just been received; else it is due again later. */
async function leaseFor(deps: AssembleScanDeps, claimed: ClaimedScan): Promise<RequestedLease> {
  if (!claimed.leasing) return requestLease(deps, claimed.scopeKey);
  let requested = await claimed.leasing;
  for (let looks = 1; requested.lease === null && looks < looksMax; looks += 1) {
    await pause(lookAgainMs);
    requested = await requestLease(deps, claimed.scopeKey);
  }
  return requested;
}

export async function requestLease(
  { scopes, clock, identifiers }: Pick<AssembleScanDeps, 'scopes' | 'clock' | 'identifiers'>,
  scopeKey: string,
): Promise<RequestedLease> {
  const sentMs = clock.now();
  return { lease: await scopes.acquireLease(scopeKey, identifiers.uuidV7()), sentMs };
}

/** A lease that is not released expires. */
export async function release(
  { scopes, logger }: Pick<AssembleScanDeps, 'scopes' | 'logger'>,
  lease: ScopeLease,
): Promise<void> {
  await scopes
    .releaseLease(lease)
    .catch((error: unknown) => logger.warn({ err: error }, 'lease not released'));
}

interface LeasedScan {
  readonly claimed: ClaimedScan;
  readonly lease: ScopeLease;
  readonly signal: AbortSignal;
  readonly onReleased: () => void;
}

async function assembleUnderLease(
  deps: AssembleScanDeps,
  leased: LeasedScan,
): Promise<AssemblyEnd> {
  const { claimed, lease } = leased;
  await settleLastResult(deps, lease);
  if (lease.unsettled?.scanId === claimed.scan.scanId) return decided(lease.unsettled.result);
  if (claimed.tries > triesMax) return giveUp(deps, leased);
  const { scanId } = claimed.scan;
  // It began before the inventory was erased: its pages are deleted, or about to be.
  if (lease.epoch > 0 && !(await deps.chunks.isReadSince(scanId, lease.epoch))) {
    return decided(await rejectScan(deps, leased, 'pages_missing'));
  }
  try {
    return await assemblePages(deps, leased);
  } catch (error) {
    if (!(error instanceof PagesInvalid)) throw error;
    return decided(await rejectScan(deps, leased, 'pages_invalid'));
  }
}

async function assemblePages(deps: AssembleScanDeps, leased: LeasedScan): Promise<AssemblyEnd> {
  const { claimed, lease, signal } = leased;
  const { scan } = claimed;
  const pages = pagesInOrder(scan.pages, deps.settings.pageChunksMax);
  if (pages === null) throw new PagesInvalid('the manifest is not a whole scan');
  const known = deps.contents.find(pages);
  const same = known && compareScan(deps, { scan, contents: known, lease });
  if (same && writesNothing(same))
    return commit(deps, leased, { verdict: same, aside: null, written: Promise.resolve() });
  const staged = openStagedPages(deps.chunks, scan.scanId, pages);
  const survey = await surveyScan(staged, signal);
  if (survey === null) return pagesMissing(deps, leased);
  if (endsInRepetition(survey, scan.reportedTotalCount)) {
    throw new PagesInvalid('the last page repeats others');
  }
  const contents = known ?? (await contentsOf(survey, signal));
  if (!repeatsAtEnd(survey)) deps.contents.remember(pages, contents);
  const found = same ?? compareScan(deps, { scan, contents, lease });
  const compared = { scan, staged, survey, verdict: found, head: lease.head };
  const changes = await writeChanges(deps, compared, signal);
  if (changes === null) return pagesGone(deps, leased);
  const { joins, aside, described } = changes;
  const verdict = joins.length > 0 ? withJoins(found, joins) : found;
  const assembled = { scan, staged, survey, verdict, described };
  const revision = await writeRevision(deps, assembled, signal);
  if (revision === null) return pagesGone(deps, leased);
  signal.throwIfAborted();
  return commit(deps, leased, { verdict, aside, ...revision });
}

async function commit(
  deps: AssembleScanDeps,
  { claimed, lease, onReleased }: LeasedScan,
  assembled: Pick<ScanToCommit, 'verdict' | 'aside' | 'written'>,
): Promise<AssemblyEnd> {
  const decision = await commitScan(deps, { claimed, lease, onReleased, ...assembled });
  return decision ? decided(decision, true) : decided(await readDecision(deps, claimed));
}

/**
 * Adds up the surveys of the pages of a scan; null while pages are missing. Other work of the process
 * gets its turn after each.
 */
async function surveyScan(staged: StagedPages, signal: AbortSignal): Promise<Survey | null> {
  const survey = openSurvey();
  let reading = staged.readSurveys(0, batchPages);
  for (let from = 0; from < staged.count; from += batchPages) {
    const pages = await reading;
    if (pages === null) return null;
    reading = staged.readSurveys(from + batchPages, from + 2 * batchPages);
    // Awaited in the next round, unless a page of this one ends the survey.
    reading.catch(() => {});
    for (const page of pages) {
      signal.throwIfAborted();
      addPage(survey, page);
      await yieldToEventLoop();
    }
  }
  return survey;
}

/** It was abandoned while it was assembled. */
async function readDecision({ scans }: AssembleScanDeps, { scan }: ClaimedScan) {
  const { decided } = await scans.findScan(scan.scanId);
  invariant(decided !== null, 'a scan that cannot be committed has been decided');
  return decided.result;
}

/** Pages were dropped while they were written; the pruner deletes what was. */
async function pagesGone(deps: AssembleScanDeps, leased: LeasedScan): Promise<AssemblyEnd> {
  await deps.scopes.schedulePrune(leased.lease, deps.clock.now());
  return pagesMissing(deps, leased);
}

async function pagesMissing(deps: AssembleScanDeps, leased: LeasedScan): Promise<AssemblyEnd> {
  const { clock, settings } = deps;
  const waitedMs = clock.now() - leased.claimed.receivedAtMs;
  if (waitedMs < settings.missingPagesWaitMs) return { result: 'postponed', why: 'pages_missing' };
  return decided(await rejectScan(deps, leased, 'pages_missing'));
}

/**
 * Rejects a scan that crashed its workers or failed in every try. Under the lease no other worker
 * can move the head for it, so a commit that has begun is rejected too.
 */
async function giveUp(deps: AssembleScanDeps, leased: LeasedScan): Promise<AssemblyEnd> {
  const { scan, tries } = leased.claimed;
  deps.logger.error({ scan_id: scan.scanId, tries: tries - 1 }, 'assembly given up');
  return decided(await rejectScan(deps, leased, 'given_up'));
}

/** Under the lease, which is confirmed: a try of another worker has not moved the head for it. */
async function rejectScan(
  deps: AssembleScanDeps,
  { claimed: { scan }, lease }: LeasedScan,
  fact: 'pages_missing' | 'pages_invalid' | 'given_up',
): Promise<ScanResult> {
  if (!(await deps.scopes.schedulePrune(lease, deps.clock.now()))) throw new LeaseLost();
  const reason = fact === 'pages_missing' ? 'missing_pages' : 'invalid_pages';
  const result: ScanResult = { result: 'rejected', reason };
  return decideScan(deps, { scanId: scan.scanId, refreshId: scan.refreshId, result }, fact);
}
