import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ScanResult } from '@inventory/contracts/messages/revision';
import { invariant } from '@inventory/runtime/bug';
import { holdLease, LeaseLost } from '@inventory/runtime/hold-lease';
import { pause } from '@inventory/runtime/wait';
import { wholeScanPages } from '../domain/scan.ts';
import { withJoins, writesNothing } from '../domain/scan-comparison.ts';
import {
  addPage,
  endsInRepetition,
  openSurvey,
  repeatsAtEnd,
  type Survey,
} from '../domain/survey.ts';
import type { ScopeLease } from '../storage/scope-store.ts';
import type { RequestedLease, ScanToAssemble } from '../storage/waiting-scans.ts';
import { work } from '../work.ts';
import { compareScan, contentsOf } from './compare-with-head.ts';
import {
  commitScan,
  decideScan,
  type LeasedScan,
  type ScanToCommit,
  settleLastResult,
} from './decide-scan.ts';
import type { Scanning } from './open-scanning.ts';
import { PagesInvalid } from './read-staged-page.ts';
import { openStagedPages, type StagedPages } from './staged-pages.ts';
import { writeChanges } from './write-changes.ts';
import { writeRevision } from './write-revision.ts';

/** Pages whose surveys are read together, while those before them are added. */
const batchPages = 16;

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
  scanning: Scanning,
  claimed: ScanToAssemble,
  stopping: AbortSignal,
): Promise<AssemblyEnd> {
  const { scopes, clock, logger, settings } = scanning;
  const { lease, sentMs } = await leaseFor(scanning, claimed);
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
    return await assembleUnderLease(scanning, { claimed, lease, signal, onReleased });
  } catch (error) {
    // What was written since it was lost, after an erasure too, is not referred to.
    if (error instanceof LeaseLost) await scopes.requestPrune(claimed.scopeKey, clock.now());
    throw error;
  } finally {
    held.end();
    if (!isReleased) await tryRelease(scanning, lease);
  }
}

/** The pruner, and a duplicate of an earlier scan, hold a lease for a moment only. */
const pollAgainMs = 50;
const pollsMax = 6;

/** Waits for a moment where the scan has just been received; else it is due again later. */
async function leaseFor(scanning: Scanning, claimed: ScanToAssemble): Promise<RequestedLease> {
  if (!claimed.leasing) return requestLease(scanning, claimed.scopeKey);
  let requested = await claimed.leasing;
  for (let polls = 1; requested.lease === null && polls < pollsMax; polls += 1) {
    await pause(pollAgainMs);
    requested = await requestLease(scanning, claimed.scopeKey);
  }
  return requested;
}

export async function requestLease(
  { scopes, clock, identifiers }: Scanning,
  scopeKey: string,
): Promise<RequestedLease> {
  const sentMs = clock.now();
  return { lease: await scopes.acquireLease(scopeKey, identifiers.uuidV7()), sentMs };
}

/** A lease that is not released expires. */
export async function tryRelease({ scopes, logger }: Scanning, lease: ScopeLease): Promise<void> {
  await scopes
    .releaseLease(lease)
    .catch((error: unknown) => logger.warn({ err: error }, 'lease not released'));
}

async function assembleUnderLease(scanning: Scanning, leased: LeasedScan): Promise<AssemblyEnd> {
  const { claimed, lease } = leased;
  await settleLastResult(scanning, lease);
  if (lease.unsettled?.scanId === claimed.scan.scanId) return decided(lease.unsettled.result);
  if (claimed.tries > triesMax) return giveUp(scanning, leased);
  const { scanId } = claimed.scan;
  // It began before the inventory was erased: its pages are deleted, or about to be.
  if (lease.epoch > 0 && !(await scanning.chunks.isReadSince(scanId, lease.epoch))) {
    return decided(await rejectScan(scanning, leased, 'pages_missing'));
  }
  try {
    return await assemblePages(scanning, leased);
  } catch (error) {
    if (!(error instanceof PagesInvalid)) throw error;
    return decided(await rejectScan(scanning, leased, 'pages_invalid'));
  }
}

async function assemblePages(scanning: Scanning, leased: LeasedScan): Promise<AssemblyEnd> {
  const { claimed, lease, signal } = leased;
  const { scan } = claimed;
  const pages = wholeScanPages(scan.pages, scanning.settings.pageChunksMax);
  if (pages === null) throw new PagesInvalid('the manifest is not a whole scan');
  const known = scanning.contents.find(pages);
  const same = known && compareScan(scanning, { scan, contents: known, lease });
  if (same && writesNothing(same))
    return commit(scanning, leased, { verdict: same, aside: null, written: Promise.resolve() });
  const staged = openStagedPages(scanning.chunks, scan.scanId, pages);
  const survey = await surveyScan(staged, signal);
  if (survey === null) return pagesMissing(scanning, leased);
  if (endsInRepetition(survey, scan.reportedTotalCount)) {
    throw new PagesInvalid('the last page repeats others');
  }
  const contents = known ?? (await contentsOf(survey, signal));
  if (!repeatsAtEnd(survey)) scanning.contents.remember(pages, contents);
  const found = same ?? compareScan(scanning, { scan, contents, lease });
  const compared = { scan, staged, survey, verdict: found, head: lease.head };
  const changes = await writeChanges(scanning, compared, signal);
  if (changes === null) return pagesGone(scanning, leased);
  const { joins, aside, described } = changes;
  const verdict = joins.length > 0 ? withJoins(found, joins) : found;
  const assembled = { scan, staged, survey, verdict, described };
  const revision = await writeRevision(scanning.blocks, assembled, signal);
  if (revision === null) return pagesGone(scanning, leased);
  signal.throwIfAborted();
  return commit(scanning, leased, { verdict, aside, ...revision });
}

async function commit(
  scanning: Scanning,
  leased: LeasedScan,
  assembled: ScanToCommit,
): Promise<AssemblyEnd> {
  const decision = await commitScan(scanning, leased, assembled);
  return decision ? decided(decision, true) : decided(await readDecision(scanning, leased.claimed));
}

/**
 * Adds up the surveys of the pages of a scan; null while pages are missing. Other work of the process
 * is served after each.
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
async function readDecision({ scans }: Scanning, { scan }: ScanToAssemble) {
  const { decided } = await scans.findScan(scan.scanId);
  invariant(decided !== null, 'a scan that cannot be committed has been decided');
  return decided.result;
}

/** Pages were dropped while they were written; the pruner deletes what was. */
async function pagesGone(scanning: Scanning, leased: LeasedScan): Promise<AssemblyEnd> {
  await scanning.scopes.schedulePrune(leased.lease, scanning.clock.now());
  return pagesMissing(scanning, leased);
}

async function pagesMissing(scanning: Scanning, leased: LeasedScan): Promise<AssemblyEnd> {
  const { clock, settings } = scanning;
  const waitedMs = clock.now() - leased.claimed.receivedAtMs;
  if (waitedMs < settings.missingPagesWaitMs) return { result: 'postponed', why: 'pages_missing' };
  return decided(await rejectScan(scanning, leased, 'pages_missing'));
}

/**
 * Rejects a scan that crashed its workers or failed in every try. Under the lease no other worker
 * can move the head for it, so a commit that has begun is rejected too.
 */
async function giveUp(scanning: Scanning, leased: LeasedScan): Promise<AssemblyEnd> {
  const { scan, tries } = leased.claimed;
  scanning.logger.error({ scanId: scan.scanId, tries: tries - 1 }, 'assembly given up');
  return decided(await rejectScan(scanning, leased, 'given_up'));
}

/** Under the lease, which is confirmed: a try of another worker has not moved the head for it. */
async function rejectScan(
  scanning: Scanning,
  { claimed: { scan }, lease }: LeasedScan,
  fact: 'pages_missing' | 'pages_invalid' | 'given_up',
): Promise<ScanResult> {
  if (!(await scanning.scopes.schedulePrune(lease, scanning.clock.now()))) throw new LeaseLost();
  const reason = fact === 'pages_missing' ? 'missing_pages' : 'invalid_pages';
  const result: ScanResult = { result: 'rejected', reason };
  return decideScan(scanning, { scanId: scan.scanId, refreshId: scan.refreshId, result }, fact);
}
