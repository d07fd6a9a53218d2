import { countPruned } from '../metrics.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import type { DecidedScanStore } from '../storage/decided-scan-store.ts';

export interface DropStagedChunksDeps {
  readonly chunks: Pick<ChunkStore, 'dropChunks'>;
  readonly decidedScans: Pick<DecidedScanStore, 'markChunksDropped'>;
}

/** Deletes what a decided scan staged. The mark goes last: a crash in between repeats it. */
export async function dropStagedChunks(
  { chunks, decidedScans }: DropStagedChunksDeps,
  scanId: string,
): Promise<void> {
  countPruned('chunks', await chunks.dropChunks(scanId));
  await decidedScans.markChunksDropped(scanId);
}
