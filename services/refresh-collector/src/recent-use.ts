import { monotonicNow } from '@inventory/runtime/clock';

export type RecentUse = ReturnType<typeof createRecentUse>;

export const unusedAfterMs = 60_000;
const quietPauseMaxMs = 5_000;
/** Two that fail cost no lease. */
const pausesPerLease = 3;

/**
 * Whether this replica is used: it had a request, or something is open, within the last
 * minute. While it is not, what it reads of the other replicas may be older; it is read again before
 * the next use.
 */
export function createRecentUse({ leaseMs }: { readonly leaseMs: number }, now = monotonicNow) {
  const quietPauseMs = Math.min(quietPauseMaxMs, leaseMs / pausesPerLease);
  const readers: (() => unknown)[] = [];
  let usedMs = now();
  let resumed: Promise<unknown> = Promise.resolve();
  const isQuiet = () => now() - usedMs >= unusedAfterMs;

  return {
    /** It is used now. After a quiet time this resolves once the readers have ended or failed. */
    async note(): Promise<void> {
      if (isQuiet()) resumed = Promise.allSettled(readers.map(async (read) => await read()));
      usedMs = now();
      await resumed;
    },
    /** The pause of a job that has this one while the replica is used. */
    pauseMs: (whileUsedMs: number): number =>
      isQuiet() ? Math.max(whileUsedMs, quietPauseMs) : whileUsedMs,
    /** Called when a quiet time ends. */
    onResumed: (read: () => unknown): void => void readers.push(read),
  };
}
