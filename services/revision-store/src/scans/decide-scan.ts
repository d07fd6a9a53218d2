import type { ScanResult } from '@inventory/contracts/messages/revision';
import { CorruptDocument } from '@inventory/mongo/parse-document';
import { invariant } from '@inventory/runtime/bug';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { ChangeSet } from '../domain/change-chain.ts';
import type { Observation } from '../domain/observation.ts';
import type { DecidedScan, ScanFact } from '../domain/scan.ts';
import type { ScanComparison } from '../domain/scan-comparison.ts';
import { countPruned, countScan } from '../metrics.ts';
import type { ScopeLease } from '../storage/scope-store.ts';
import type { ScanToAssemble } from '../storage/waiting-scans.ts';
import type { Scanning } from './open-scanning.ts';

/** A claimed scan under the lease of its inventory. */
export interface LeasedScan {
  readonly claimed: ScanToAssemble;
  readonly lease: ScopeLease;
  readonly signal: AbortSignal;
  /** The lease ended with the move of the head. */
  readonly onReleased: () => void;
}

export interface ScanToCommit {
  readonly verdict: ScanComparison;
  /** What leads from a revision that never becomes the head to it. */
  readonly aside: ChangeSet | null;
  /** The last of its blocks. */
  readonly written: Promise<void>;
}

/**
 * Makes an assembled scan what Current reads:
 *
 * 1. scan document to `committing`: from here on an abandonment is refused, before it the
 *    abandonment has won;
 * 2. beside it, write the last of its blocks and, where the scan becomes the head, keep the observation that
 *    will no longer be, and the change sets that end at its revision where that is another one. A crash or
 *    an abandonment leaves blocks that the pruner deletes, and copies of the head that the next commit
 *    writes anew. What is kept of a scan that does not become the head is written once it cannot be
 *    abandoned;
 * 3. move the head, its change sets in it, filtered on the lease's epoch, the result beside it, and release
 *    the lease. A crash before it makes another worker assemble the scan again, a crash after it makes
 *    another one, or the next holder of the lease, continue with the result;
 * 4. send the outcome, and delete the staged chunks, which nothing needs any more;
 * 5. copy the result to the scan document. An outcome that was lost is sent again when the collector
 *    repeats its command.
 *
 * Null when the scan was abandoned before.
 */
export async function commitScan(
  scanning: Scanning,
  { claimed, lease, onReleased }: LeasedScan,
  { verdict, aside, written }: ScanToCommit,
): Promise<ScanResult | null> {
  const { scans, scopes, observations, clock } = scanning;
  const { scanId, refreshId } = claimed.scan;
  const { scopeKey, epoch, head } = lease;
  const isNext = verdict.becomes === 'head';
  const superseded = isNext ? head : verdict.observation;
  const inventory = { scope: scopeKey, epoch };
  const keep = async () => {
    await Promise.all([
      superseded && observations.keepSuperseded(inventory, superseded, clock.now()),
      keepChanges(scanning, lease, verdict, aside),
    ]);
  };
  const [isBegun] = await Promise.all([scans.beginCommit(scanId), written, isNext && keep()]);
  if (!isBegun) {
    await scopes.schedulePrune(lease, clock.now());
    return null;
  }
  if (!isNext) await keep();
  const decided: DecidedScan = { scanId, refreshId, result: resultOf(verdict, head) };
  const moved = await scopes.moveHead(lease, {
    head: verdict.head,
    decided,
    pruneAtMs: pruneAtMs(scanning, claimed, verdict, superseded),
  });
  if (!moved) throw new LeaseLost();
  onReleased();
  const isSmall = claimed.scan.pages.length <= smallPagesMax;
  await Promise.all([
    dropChunks(scanning, scanId, isSmall),
    scanning.sendOutcome(decided, scopeKey),
  ]);
  return decideScan(scanning, decided, 'head_moved', true);
}

async function keepChanges(
  { changes, clock }: Scanning,
  { scopeKey, head }: ScopeLease,
  verdict: ScanComparison,
  aside: ChangeSet | null,
): Promise<void> {
  const { chain, joins } = head?.revision ?? { chain: null, joins: [] };
  if (!verdict.changed || chain === null) return;
  if (verdict.becomes === 'head') {
    await changes.keepSuperseded(scopeKey, chain, joins, clock.now());
  } else if (aside) {
    await changes.keepAside(scopeKey, chain.root, aside);
  }
}

function resultOf(
  { observation, changed, becomes }: ScanComparison,
  before: Observation | null,
): ScanResult {
  const isNext = changed && becomes === 'head' && before !== null;
  return {
    result: 'committed',
    revisionId: observation.revision.revisionId,
    previousRevisionId: isNext ? before.revision.revisionId : null,
    observationId: observation.observationId,
    changed,
    observedAssets: observation.revision.totalCount,
  };
}

/** At once when an earlier try of this scan may have left blocks. */
function pruneAtMs(
  { clock, settings }: Scanning,
  { wasClaimed }: ScanToAssemble,
  { observation }: ScanComparison,
  superseded: Observation | null,
): number {
  if (wasClaimed) return clock.now();
  if (superseded) return clock.now() + settings.retention.supersededKeptMs;
  return observation.scanWindow.completedAtMs + settings.retention.headKeptMs;
}

/** Decides a scan. The first decision is final and is returned. */
export async function decideScan(
  { scans, clock }: Scanning,
  { scanId, result }: DecidedScan,
  fact: ScanFact,
  areChunksDropped = false,
): Promise<ScanResult> {
  if (await scans.decideScan({ scanId, fact, result, areChunksDropped, nowMs: clock.now() })) {
    countScan(result.result === 'rejected' ? result.reason : 'committed');
    return result;
  }
  const { decided } = await scans.findScan(scanId);
  invariant(decided !== null, 'a scan that refuses a decision has been decided');
  return decided.result;
}

/**
 * Copies the last result to the document of its scan, in case the worker crashed before it did.
 * Every holder of the inventory's lease runs this. Only records of decided scans expire, so a scan
 * without a record has its result already. A record that is corrupt does not block its inventory.
 */
export async function settleLastResult(scanning: Scanning, lease: ScopeLease): Promise<void> {
  const { unsettled } = lease;
  if (unsettled === null) return;
  const known = await scanning.scans.findScan(unsettled.scanId).catch((error: unknown) => {
    if (!(error instanceof CorruptDocument)) throw error;
    scanning.logger.error({ err: error }, 'corrupt document skipped');
    return null;
  });
  // As a rule: the worker released the lease before it recorded the decision.
  if (!known || known.decided) return;
  if (known.state !== 'unknown') {
    const result = await decideScan(scanning, unsettled, 'head_moved');
    await scanning.sendOutcome({ ...unsettled, result }, lease.scopeKey);
  }
  await scanning.scopes.markResultSettled(lease);
}

/** Deletes what a decided scan staged. The mark goes last: a crash in between repeats it. */
export async function dropStagedChunks(scanning: Scanning, scanId: string): Promise<void> {
  await dropChunks(scanning, scanId, false);
  await scanning.scans.markChunksDropped(scanId);
}

/** Pages whose chunks, those of replaced workers included, are deleted in a moment. */
const smallPagesMax = 10;

async function dropChunks({ chunks }: Scanning, scanId: string, isSmall: boolean): Promise<void> {
  countPruned('chunks', await chunks.dropChunks(scanId, isSmall));
}
