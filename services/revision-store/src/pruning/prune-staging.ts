import { advanceScan } from '../domain/scan.ts';
import { countPruned } from '../metrics.ts';
import { dropStagedChunks } from '../scans/decide-scan.ts';
import type { Scanning } from '../scans/open-scanning.ts';
import { pruneEach } from './prune-each.ts';

const batch = 200;

/**
 * Deletes staged chunks that no assembly can need: those of decided scans, and those of scans that
 * received no command in time. Then deletes records that no command can refer to. Each round
 * processes everything that is due.
 */
export async function pruneStaging(scanning: Scanning, stopping: AbortSignal): Promise<void> {
  const { scans, clock, settings } = scanning;
  await dropDecided(scanning, stopping);
  const { forgottenChunksKeptMs, forgottenCapturesKeptMs } = settings;
  await dropUnclaimed(scanning, clock.now() - forgottenChunksKeptMs, false, stopping);
  await dropUnclaimed(scanning, clock.now() - forgottenCapturesKeptMs, true, stopping);
  const before = clock.now() - settings.scanRecordsKeptMs;
  countPruned('scans', await scans.deleteDecidedBefore(before));
}

async function dropDecided(scanning: Scanning, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const undropped = await scanning.scans.findUndroppedScans(batch);
    for (const scanId of undropped) await dropStagedChunks(scanning, scanId);
    if (undropped.length < batch) return;
  }
}

function dropUnclaimed(
  { chunks, scans, logger }: Scanning,
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
    const needed = advanceScan(state, 'assembled') !== 'refused';
    if (!needed) countPruned('chunks', await chunks.dropChunksStagedBefore(scanId, beforeMs));
  };
  const staged = chunks.findScansStagedBefore(beforeMs, capturesOnly);
  return pruneEach(logger, staged, dropOnce, stopping);
}
