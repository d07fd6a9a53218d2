import { inventoryKeyOf } from '@inventory/contracts/inventory-key';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { CorruptDocument } from '@inventory/mongo/parse-document';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { uuidV5 } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { DecidedScan, ScanFact, ScanResult } from '../domain/scan.ts';
import { countPruned, countScan } from '../metrics.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import type { DecidedScanStore } from '../storage/decided-scan-store.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import type { ScopeLease, ScopeStore } from '../storage/scope-store.ts';

export interface DecideScanDeps {
  readonly scans: Pick<ScanStore, 'decideScan' | 'findScan'>;
  readonly clock: Clock;
}

/** Decides a scan. The first decision is final and is returned. */
export async function decideScan(
  { scans, clock }: DecideScanDeps,
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
 * The outcome message of a decided scan: every duplicate has the same bytes and id. A capture's names
 * its inventory, which the collector knows of its refreshes.
 */
export function outcomeMessage(
  { scanId, refreshId, result }: DecidedScan,
  scopeKey: string | null,
): OutgoingMessage {
  if (result.result === 'rejected') {
    const type = 'revision.rejected.v1';
    const body = { scan_id: scanId, refresh_id: refreshId, reason: result.reason };
    return { type, id: uuidV5(scanId, type), body };
  }
  const type = 'revision.committed.v1';
  const body = {
    scan_id: scanId,
    refresh_id: refreshId,
    ...(refreshId === null && scopeKey !== null ? { scope: inventoryKeyOf(scopeKey) } : {}),
    revision_id: result.revisionId,
    ...(result.previousRevisionId === null
      ? {}
      : { previous_revision_id: result.previousRevisionId }),
    observation_id: result.observationId,
    changed: result.changed,
    observed_assets: result.observedAssets,
  };
  return { type, id: uuidV5(scanId, type), body };
}

export interface SettleLastResultDeps extends DecideScanDeps {
  readonly scopes: Pick<ScopeStore, 'markResultSettled'>;
  /** Sends the outcome of a decided scan; where it is lost, the collector sends its command again. */
  readonly sendOutcome: (decided: DecidedScan, scopeKey: string) => Promise<void>;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Copies the last result to the document of its scan, in case the worker crashed before it did.
 * Every holder of the inventory's lease runs this. Only records of decided scans expire, so a scan
 * without a record has its result already. A record that is corrupt does not block its inventory.
 */
export async function settleLastResult(
  deps: SettleLastResultDeps,
  lease: ScopeLease,
): Promise<void> {
  const { unsettled } = lease;
  if (unsettled === null) return;
  const known = await deps.scans.findScan(unsettled.scanId).catch((error: unknown) => {
    if (!(error instanceof CorruptDocument)) throw error;
    deps.logger.error({ err: error }, 'corrupt document skipped');
    return null;
  });
  // As a rule: the worker released the lease before it recorded the decision.
  if (!known || known.decided) return;
  if (known.state !== 'unknown') {
    const result = await decideScan(deps, unsettled, 'head_moved');
    await deps.sendOutcome({ ...unsettled, result }, lease.scopeKey);
  }
  await deps.scopes.markResultSettled(lease);
}

export interface DropStagedChunksDeps {
  readonly chunks: Pick<ChunkStore, 'dropChunks'>;
  readonly decidedScans: Pick<DecidedScanStore, 'markChunksDropped'>;
}

/** Deletes what a decided scan staged. The mark goes last: a crash in between repeats it. */
export async function dropStagedChunks(
  { chunks, decidedScans }: DropStagedChunksDeps,
  scanId: string,
): Promise<void> {
  await dropChunks({ chunks }, scanId);
  await decidedScans.markChunksDropped(scanId);
}

export async function dropChunks(
  { chunks }: Pick<DropStagedChunksDeps, 'chunks'>,
  scanId: string,
): Promise<void> {
  countPruned('chunks', await chunks.dropChunks(scanId));
}
