import type { Clock } from '@inventory/runtime/clock';
import type { LogPruning, OldEntry } from './log-pruning-store.ts';

export interface PruneLogsDeps {
  readonly pruning: LogPruning;
  readonly clock: Clock;
  readonly keepMs: number;
  /** Longer than any event may be announced again. */
  readonly rememberMs: number;
}

const entriesAtOnce = 500;

/**
 * Deletes entries older than `keepMs` from the front of every log, so that what is kept is
 * contiguous. The newest entry of a Project is kept: it holds the last position.
 */
export async function pruneLogs(
  { pruning, clock, keepMs, rememberMs }: PruneLogsDeps,
  stopping: AbortSignal,
): Promise<void> {
  const cutoffMs = clock.now() - keepMs;
  for await (const projectId of pruning.listProjectsOlderThan(cutoffMs)) {
    for (let more = true; more && !stopping.aborted; ) {
      const front = await pruning.listOldest(projectId, entriesAtOnce + 1);
      const old = prunable(front, cutoffMs).slice(0, entriesAtOnce);
      await pruning.removeEntries(old, clock.now());
      more = old.length === entriesAtOnce;
    }
    if (stopping.aborted) return;
  }
  await pruning.removePositionsBefore(clock.now() - rememberMs);
}

/** `front` holds one entry more than may be pruned, or the whole log. */
export function prunable(front: readonly OldEntry[], cutoffMs: number): OldEntry[] {
  const withoutNewest = front.slice(0, -1);
  const firstYoung = withoutNewest.findIndex(({ appendedAt }) => appendedAt.getTime() >= cutoffMs);
  return firstYoung < 0 ? withoutNewest : withoutNewest.slice(0, firstYoung);
}
