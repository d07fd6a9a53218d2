import type { Clock } from '@inventory/runtime/clock';
import { advance } from '../domain/scan.ts';
import { countPruned } from '../metrics.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import type { DecidedScanStore } from '../storage/decided-scan-store.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import { dropStagedChunks } from './drop-staged-chunks.ts';

export interface StagingPruning {
  readonly chunks: ChunkStore;
  readonly scans: Pick<ScanStore, 'find'>;
  readonly decidedScans: DecidedScanStore;
  readonly clock: Clock;
  readonly settings: {
    /** Chunks of a scan that nobody completed or abandoned. */
    readonly forgottenChunksKeptMs: number;
    /** The same of captures, of which most are never meant to be completed. */
    readonly forgottenCapturesKeptMs: number;
    /** Decided scans: how long a command that comes again is answered from the record. */
    readonly scanRecordsKeptMs: number;
  };
}

const batch = 200;

/**
 * Deletes staged chunks that no assembly can need: those of decided scans, and in time those of
 * scans that no command came for. Then records that no message can ask for any more. Each round
 * works through everything that is due.
 */
export async function pruneStaging(pruning: StagingPruning, stopping: AbortSignal): Promise<void> {
  const { decidedScans, clock, settings } = pruning;
  await dropDecided(pruning, stopping);
  const { forgottenChunksKeptMs, forgottenCapturesKeptMs } = settings;
  await dropForgotten(pruning, clock.now() - forgottenChunksKeptMs, false, stopping);
  await dropForgotten(pruning, clock.now() - forgottenCapturesKeptMs, true, stopping);
  const before = clock.now() - settings.scanRecordsKeptMs;
  countPruned('scans', await decidedScans.forgetDecidedBefore(before));
}

async function dropDecided(pruning: StagingPruning, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const undropped = await pruning.decidedScans.findUndropped(batch);
    for (const scanId of undropped) await dropStagedChunks(pruning, scanId);
    if (undropped.length < batch) return;
  }
}

async function dropForgotten(
  { chunks, scans }: StagingPruning,
  beforeMs: number,
  capturesOnly: boolean,
  stopping: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  for await (const scanId of chunks.stagedBefore(beforeMs, capturesOnly)) {
    if (stopping.aborted) return;
    if (seen.has(scanId)) continue;
    seen.add(scanId);
    const { state } = await scans.find(scanId);
    // Whatever can still be committed keeps its pages, however long it takes.
    const needed = advance(state, 'assembled') !== 'refused';
    if (!needed) countPruned('chunks', await chunks.dropStagedBefore(scanId, beforeMs));
  }
}
