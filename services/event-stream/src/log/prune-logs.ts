import type { Clock } from '@inventory/runtime/clock';
import type { Pending } from '@inventory/work/work-queue';
import type { WorkResult } from '@inventory/work/worker';
import type { OldEntry } from './log-document.ts';
import type { DueLog, LogPruning } from './log-pruning-store.ts';

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
    readonly pruning: LogPruning;
    readonly clock: Clock;
    readonly keepMs: number;
    /** Shortest pause between two runs of one log. */
    readonly everyMs: number;
  },
  claimed: Pending<DueLog>,
): Promise<WorkResult> {
  const nowMs = clock.now();
  const cutoffMs = nowMs - keepMs;
  const { projectId, position } = claimed.item;
  for (;;) {
    const front = await pruning.listOldest(projectId, entriesAtOnce + 1);
    const old = prunable(front, cutoffMs).slice(0, entriesAtOnce);
    await pruning.removeEntries(old, nowMs);
    if (old.length === entriesAtOnce) continue;
    const oldest = front[old.length];
    const isIdle = oldest === undefined || oldest.appendedAtMs < cutoffMs;
    // Nothing was appended since the log was read as due: what is, makes it due.
    const unchanged = { nowMs, dueAtMs: null, read: { position } };
    if (isIdle && (await pruning.queue.settle(claimed, unchanged)) !== null) return 'settled';
    const nextMs = isIdle ? 0 : oldest.appendedAtMs + keepMs;
    const dueAtMs = Math.max(nextMs, nowMs + everyMs);
    await pruning.queue.settle(claimed, { nowMs, dueAtMs });
    return 'settled';
  }
}

/** `front` holds one entry more than may be pruned, or the whole log. */
export function prunable(front: readonly OldEntry[], cutoffMs: number): OldEntry[] {
  const withoutNewest = front.slice(0, -1);
  const firstYoung = withoutNewest.findIndex(({ appendedAtMs }) => appendedAtMs >= cutoffMs);
  return firstYoung < 0 ? withoutNewest : withoutNewest.slice(0, firstYoung);
}
