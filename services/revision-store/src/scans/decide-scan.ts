import type { ScanResult } from '@inventory/contracts/messages/revision';
import { CorruptDocument } from '@inventory/mongo/parse-document';
import { invariant } from '@inventory/runtime/bug';
import type { DecidedScan, ScanFact } from '../domain/scan.ts';
import { countPruned, countScan } from '../metrics.ts';
import type { ScopeLease } from '../storage/scope-store.ts';
import type { Scanning } from './open-scanning.ts';

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
  await dropChunks(scanning, scanId);
  await scanning.scans.markChunksDropped(scanId);
}

export async function dropChunks({ chunks }: Scanning, scanId: string): Promise<void> {
  countPruned('chunks', await chunks.dropChunks(scanId));
}
