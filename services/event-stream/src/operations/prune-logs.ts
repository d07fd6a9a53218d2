import type { Clock } from '@inventory/runtime/clock';
import type { LogPruning, OldEntry } from '../storage/log-pruning.ts';

export interface PruneDependencies {
  readonly pruning: LogPruning;
  readonly clock: Clock;
  readonly keepMs: number;
  /** Longer than anybody announces an event again. */
  readonly rememberMs: number;
}

const entriesAtOnce = 500;

/**
 * Takes what is older than `keepMs` out of every log: always from the front, so that what is kept
 * has no hole, and never a Project's newest entry, which says where the log goes on.
 */
export async function pruneLogs(
  { pruning, clock, keepMs, rememberMs }: PruneDependencies,
  stopping: AbortSignal,
): Promise<void> {
  const cutoffMs = clock.now() - keepMs;
  for await (const projectId of pruning.projectsOlderThan(cutoffMs)) {
    for (let more = true; more && !stopping.aborted; ) {
      const front = await pruning.oldest(projectId, entriesAtOnce + 1);
      const old = prunable(front, cutoffMs).slice(0, entriesAtOnce);
      await pruning.remove(old, clock.now());
      more = old.length === entriesAtOnce;
    }
    if (stopping.aborted) return;
  }
  await pruning.forgetBefore(clock.now() - rememberMs);
}

/** `front` holds one entry more than may be pruned, or the whole log. */
export function prunable(front: readonly OldEntry[], cutoffMs: number): OldEntry[] {
  const withoutNewest = front.slice(0, -1);
  const firstYoung = withoutNewest.findIndex(({ appendedAt }) => appendedAt.getTime() >= cutoffMs);
  return firstYoung < 0 ? withoutNewest : withoutNewest.slice(0, firstYoung);
}
