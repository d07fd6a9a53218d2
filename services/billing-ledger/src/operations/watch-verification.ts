import type { VerificationState } from '../metrics.ts';
import type { VerificationStore } from '../storage/verification-store.ts';

export interface VerificationWatch {
  /** As last read; null before the first verification. */
  state(): VerificationState | null;
  /** Reads the last verification and the progress of the running one. */
  read(): Promise<void>;
}

/** A verification may run in a process without a metrics endpoint: every replica reports it. */
export function watchVerification(
  verifications: Pick<VerificationStore, 'findLast' | 'findProgress'>,
): VerificationWatch {
  let state: VerificationState | null = null;
  return {
    state: () => state,
    async read() {
      const last = await verifications.findLast();
      if (last === null) return;
      const running = await verifications.findProgress();
      const { entries, durationMs } = running
        ? { entries: running.entries, durationMs: running.updatedAtMs - running.startedAtMs }
        : { entries: last.entries, durationMs: last.finishedAtMs - last.startedAtMs };
      state = {
        problems: last.problems.length,
        finishedAtMs: last.finishedAtMs,
        entriesPerSecond: (entries * 1_000) / Math.max(1, durationMs),
      };
    },
  };
}
