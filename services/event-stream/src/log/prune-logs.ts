import type { ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Pending } from '@inventory/work/work-queue';
import type { WorkResult } from '@inventory/work/worker';
import type { LogPruning, OldEntry } from './log-pruning-store.ts';

const entriesAtOnce = 500;

/**
 * Deletes entries older than `keepMs` from the front of a log, so that what is kept is contiguous.
 * The newest entry of a Project is kept: it holds the last position. The log is due again when its
 * next entry is old enough, and not any more when only an old newest one is left.
 */
export async function pruneLog(
  {
    pruning,
    clock,
    keepMs,
    everyMs,
  }: {
    readonly pruning: Pick<LogPruning, 'queue' | 'listOldest' | 'removeEntries'>;
    readonly clock: Pick<Clock, 'now'>;
    readonly keepMs: number;
    /** Shortest pause between two runs of one log. */
    readonly everyMs: number;
  },
  claimed: Pending<ProjectId>,
): Promise<WorkResult> {
  const nowMs = clock.now();
  const cutoffMs = nowMs - keepMs;
  for (;;) {
    const front = await pruning.listOldest(claimed.item, entriesAtOnce + 1);
    const old = prunable(front, cutoffMs).slice(0, entriesAtOnce);
    await pruning.removeEntries(old, nowMs);
    if (old.length === entriesAtOnce) continue;
    const oldest = front[old.length];
    const isIdle = oldest === undefined || oldest.appendedAt.getTime() < cutoffMs;
    const dueAtMs = isIdle ? null : Math.max(oldest.appendedAt.getTime() + keepMs, nowMs + everyMs);
    await pruning.queue.settle(claimed, { nowMs, dueAtMs });
    return 'settled';
  }
}

/** `front` holds one entry more than may be pruned, or the whole log. */
export function prunable(front: readonly OldEntry[], cutoffMs: number): OldEntry[] {
  const withoutNewest = front.slice(0, -1);
  const firstYoung = withoutNewest.findIndex(({ appendedAt }) => appendedAt.getTime() >= cutoffMs);
  return firstYoung < 0 ? withoutNewest : withoutNewest.slice(0, firstYoung);
}
