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
 * scans that were never heard of again. Then records that no message can ask for any more.
 */
export async function pruneStaging(pruning: StagingPruning): Promise<void> {
  const { decidedScans, clock, settings } = pruning;
  for (const scanId of await decidedScans.findUndropped(batch))
    await dropStagedChunks(pruning, scanId);
  const { forgottenChunksKeptMs, forgottenCapturesKeptMs } = settings;
  await dropForgotten(pruning, clock.now() - forgottenChunksKeptMs, false);
  await dropForgotten(pruning, clock.now() - forgottenCapturesKeptMs, true);
  const before = clock.now() - settings.scanRecordsKeptMs;
  countPruned('scans', await decidedScans.forgetDecidedBefore(before));
}

async function dropForgotten(
  { chunks, scans }: StagingPruning,
  beforeMs: number,
  capturesOnly: boolean,
): Promise<void> {
  const seen = new Set<string>();
  let fromMs = 0;
  for (;;) {
    const old = await chunks.stagedBetween({ fromMs, beforeMs, capturesOnly, limit: batch });
    const fresh = new Set(old.map(({ scanId }) => scanId).filter((scanId) => !seen.has(scanId)));
    for (const scanId of fresh) {
      seen.add(scanId);
      const { state } = await scans.find(scanId);
      // Whatever can still be committed keeps its pages, however long it takes.
      const needed = advance(state, 'assembled') !== 'refused';
      if (!needed) countPruned('chunks', await chunks.dropStagedBefore(scanId, beforeMs));
    }
    const lastMs = old.at(-1)?.stagedAtMs;
    if (old.length < batch || lastMs === undefined) return;
    // Staged in one millisecond by one batch, they are stepped over, and found next time.
    fromMs = lastMs > fromMs ? lastMs : lastMs + 1;
  }
}
