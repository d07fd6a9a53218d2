import { isDeepStrictEqual } from 'node:util';
import type { VerifyReport } from '@inventory/contracts/internal/ledger';
import { type Clock, elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { recordVerification } from '../metrics.ts';
import type { RunLeased } from '../run-leased.ts';
import { commitDelayMaxMs } from '../snapshots/snapshot-pass.ts';
import type { VerificationStore } from './verification-store.ts';
import type { OnProgress, Verification } from './verify-journal.ts';

const leaseRetryMs = 500;
const progressMs = 5_000;
const problemsLogged = 10;

/** Verifies the journal, one process at a time over all of them. */
export function createVerifier(deps: {
  readonly verify: (signal: AbortSignal, onProgress: OnProgress) => Promise<Verification>;
  readonly verifications: VerificationStore;
  readonly runLeased: RunLeased;
  /** That of the journal: by a time that is ahead none would be due for long. */
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}) {
  const { verifications, clock, logger, runLeased, stopping } = deps;
  let last: VerifyReport | null = null;

  async function verify(signal: AbortSignal): Promise<VerifyReport> {
    const startedAtMs = clock.now();
    const startMs = monotonicNow();
    const onProgress = progressOf(logger, startMs);
    const result = await recordVerification(() => deps.verify(signal, onProgress));
    const finishedAtMs = startedAtMs + Math.round(elapsedSince(startMs));
    const ok = result.problems.length === 0;
    const record = { ...result, ok, startedAtMs, finishedAtMs };
    await verifications.saveLast(record);
    const { problems, accounts, entries } = record;
    const counts = { accounts, entries, ...speedOf(entries, record.finishedAtMs - startedAtMs) };
    if (problems.length === 0) logger.info(counts, 'journal verification passed');
    else {
      const shown = problems.slice(0, problemsLogged);
      logger.error({ ...counts, problems: shown }, 'journal verification failed');
    }
    return record;
  }

  async function isDue(intervalMs: number): Promise<boolean> {
    const found = await verifications.findLast();
    if (found === null) return true;
    const ageMs = clock.now() - found.finishedAtMs;
    // A time far ahead was recorded by a wrong clock.
    return ageMs >= intervalMs || ageMs < 0 - commitDelayMaxMs;
  }

  return {
    /**
     * Joins the verification that runs in any process: its record is the result. So a request that
     * is retried begins no other one.
     */
    async run(): Promise<VerifyReport> {
      const before = await verifications.findLast();
      const findEnded = async () => {
        const found = await verifications.findLast();
        return isDeepStrictEqual(found, before) ? null : found;
      };
      for (;;) {
        const record =
          (await findEnded()) ??
          (await runLeased('verification', async (signal) => {
            // The one that ran may have ended just before.
            return (await findEnded()) ?? (await verify(signal));
          }));
        if (record !== null) return record;
        await pause(leaseRetryMs, stopping);
        stopping.throwIfAborted();
      }
    },
    /** Verifies unless a verification finished within the interval or is under way. */
    async runIfDue(intervalMs: number): Promise<void> {
      if (!(await isDue(intervalMs))) return;
      await runLeased('verification', async (signal) => {
        // Another process may have finished one just before.
        if (await isDue(intervalMs)) await verify(signal);
      });
    },
    /** The last verification of any process, as last read; null before the first. */
    last: (): VerifyReport | null => last,
    async readLast(): Promise<void> {
      last = await verifications.findLast();
    },
  };
}

/** Logs the progress now and then. */
function progressOf(logger: Logger, startMs: number): OnProgress {
  let loggedMs = startMs;
  return (counts) => {
    if (elapsedSince(loggedMs) < progressMs) return;
    loggedMs = monotonicNow();
    const speed = speedOf(counts.entries, elapsedSince(startMs));
    logger.info({ ...counts, ...speed }, 'journal verification progress');
  };
}

function speedOf(entries: number, durationMs: number) {
  return { entries_per_second: Math.round((entries * 1_000) / Math.max(1, durationMs)) };
}
