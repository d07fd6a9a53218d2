import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { advance } from '../domain/scan.ts';
import { countPruned } from '../metrics.ts';
import { dropStagedChunks } from '../scans/decide-scan.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import type { DecidedScanStore } from '../storage/decided-scan-store.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import { pruneEach } from './prune-each.ts';

export interface PruneStagingDeps {
  readonly chunks: ChunkStore;
  readonly scans: Pick<ScanStore, 'findScan'>;
  readonly decidedScans: DecidedScanStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: {
    /** Chunks of a scan without a command. */
    readonly forgottenChunksKeptMs: number;
    /** The same for captures; most chains are never completed. */
    readonly forgottenCapturesKeptMs: number;
    /** Records of decided scans, from which duplicate commands are answered. */
    readonly scanRecordsKeptMs: number;
  };
}

const batch = 200;

/**
 * Deletes staged chunks that no assembly can need: those of decided scans, and those of scans that
 * received no command in time. Then deletes records that no command can refer to. Each round
 * processes everything that is due.
 */
export async function pruneStaging(deps: PruneStagingDeps, stopping: AbortSignal): Promise<void> {
  const { decidedScans, clock, settings } = deps;
  await dropDecided(deps, stopping);
  const { forgottenChunksKeptMs, forgottenCapturesKeptMs } = settings;
  await dropUnclaimed(deps, clock.now() - forgottenChunksKeptMs, false, stopping);
  await dropUnclaimed(deps, clock.now() - forgottenCapturesKeptMs, true, stopping);
  const before = clock.now() - settings.scanRecordsKeptMs;
  countPruned('scans', await decidedScans.deleteDecidedBefore(before));
}

async function dropDecided(deps: PruneStagingDeps, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const undropped = await deps.decidedScans.findUndroppedScans(batch);
    for (const scanId of undropped) await dropStagedChunks(deps, scanId);
    if (undropped.length < batch) return;
  }
}

function dropUnclaimed(
  { chunks, scans, logger }: PruneStagingDeps,
  beforeMs: number,
  capturesOnly: boolean,
  stopping: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  const dropOnce = async (scanId: string) => {
    if (seen.has(scanId)) return;
    seen.add(scanId);
    const { state } = await scans.findScan(scanId);
    // A scan that can still be committed keeps its pages without a time limit.
    const needed = advance(state, 'assembled') !== 'refused';
    if (!needed) countPruned('chunks', await chunks.dropChunksStagedBefore(scanId, beforeMs));
  };
  const staged = chunks.findScansStagedBefore(beforeMs, capturesOnly);
  return pruneEach(logger, staged, dropOnce, stopping);
}
