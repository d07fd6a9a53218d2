import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { recordVerification } from '../metrics.ts';
import type {
  VerificationMode,
  VerificationRecord,
  VerificationStore,
} from '../storage/verification-store.ts';
import type { ContinueOptions } from './continue-verification.ts';
import type { RunLeased } from './run-leased.ts';
import type { VerificationCounts, VerificationRunOptions } from './verification-run.ts';
import type { Verification } from './verify-journal.ts';

export interface VerificationRunnerDeps {
  readonly verifyFull: (options: VerificationRunOptions) => Promise<Verification>;
  /** Null without a key that signs checkpoints. */
  readonly verifyChanged: ((options: ContinueOptions) => Promise<Verification>) | null;
  readonly verifications: VerificationStore;
  readonly runLeased: RunLeased;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

/** Verifies the journal, one process at a time over all of them. */
export interface VerificationRunner {
  /**
   * Waits while another process verifies. A `continue` without a last verification to continue
   * from is a full one.
   */
  run(mode: VerificationMode): Promise<VerificationRecord>;
  /** Continues unless a verification finished within the interval or is under way. */
  runIfDue(intervalMs: number): Promise<void>;
}

const leaseRetryMs = 500;
const progressMs = 5_000;
/** Commits reach the journal some time after their entries' times. */
const overlapMs = 600_000;

export function createVerificationRunner(deps: VerificationRunnerDeps): VerificationRunner {
  const { verifications, clock, runLeased, stopping } = deps;

  async function isDue(intervalMs: number): Promise<boolean> {
    const last = await verifications.findLast();
    return last === null || clock.now() - last.finishedAtMs >= intervalMs;
  }

  return {
    async run(mode) {
      for (;;) {
        const record = await runLeased('verification', (signal) => verify(deps, mode, signal));
        if (record !== null) return record;
        await pause(leaseRetryMs, stopping);
        stopping.throwIfAborted();
      }
    },
    async runIfDue(intervalMs) {
      if (!(await isDue(intervalMs))) return;
      await runLeased('verification', async (signal) => {
        // Another process may have finished one just before.
        if (await isDue(intervalMs)) await verify(deps, 'continue', signal);
      });
    },
  };
}

async function verify(
  deps: VerificationRunnerDeps,
  requested: VerificationMode,
  signal: AbortSignal,
): Promise<VerificationRecord> {
  const { clock, verifications, verifyChanged } = deps;
  const startedAtMs = clock.now();
  const last = requested === 'full' ? null : await verifications.findLast();
  const problemAccounts = last?.problemAccounts ?? null;
  const isContinued = verifyChanged !== null && last !== null && problemAccounts !== null;
  const mode = isContinued ? 'continue' : 'full';
  const options = { signal, onProgress: progressOf(deps, mode, startedAtMs) };
  const result = await recordVerification(() =>
    isContinued
      ? verifyChanged({ ...options, sinceMs: last.startedAtMs - overlapMs, problemAccounts })
      : deps.verifyFull(options),
  );
  const record = {
    ...result,
    mode,
    startedAtMs,
    finishedAtMs: clock.now(),
  } as const;
  await verifications.saveLast(record);
  logResult(deps.logger, record);
  return record;
}

/** Stores and logs the progress now and then; one that cannot be stored is only logged. */
function progressOf(
  { verifications, clock, logger }: VerificationRunnerDeps,
  mode: VerificationMode,
  startedAtMs: number,
): (counts: VerificationCounts) => void {
  let reportedAtMs = startedAtMs;
  return (counts) => {
    const updatedAtMs = clock.now();
    if (updatedAtMs - reportedAtMs < progressMs) return;
    reportedAtMs = updatedAtMs;
    logger.info(
      { ...counts, mode, ...speedOf(counts, updatedAtMs - startedAtMs) },
      'journal verification progress',
    );
    verifications
      .saveProgress({ ...counts, mode, startedAtMs, updatedAtMs })
      .catch((error: unknown) => logger.warn({ err: error }, 'verification progress not stored'));
  };
}

const problemsLogged = 10;

function logResult(logger: Logger, record: VerificationRecord): void {
  const { accounts, entries, mode, problems } = record;
  const speed = speedOf(record, record.finishedAtMs - record.startedAtMs);
  const counts = { accounts, entries, mode, ...speed };
  if (problems.length === 0) logger.info(counts, 'journal verification passed');
  else {
    const shown = problems.slice(0, problemsLogged);
    logger.error({ ...counts, problems: shown }, 'journal verification failed');
  }
}

function speedOf({ entries }: { readonly entries: number }, durationMs: number) {
  return { entries_per_second: Math.round((entries * 1_000) / Math.max(1, durationMs)) };
}
