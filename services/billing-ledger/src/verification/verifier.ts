import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { RunLeased } from '../run-leased.ts';
import { recordVerification, type VerificationState } from './verification-metrics.ts';
import type { VerificationRecord, VerificationStore } from './verification-store.ts';
import type { Verification, VerificationOptions } from './verify-journal.ts';

/** Verifies the journal, one process at a time over all of them. */
export interface Verifier {
  /** Waits while another process verifies. */
  run(): Promise<VerificationRecord>;
  /** Verifies unless a verification finished within the interval or is under way. */
  runIfDue(intervalMs: number): Promise<void>;
  /** As last read; null before the first verification. */
  state(): VerificationState | null;
  /** Reads the last verification of any process and the progress of the running one. */
  readState(): Promise<void>;
}

interface VerifierParts {
  readonly verify: (options: VerificationOptions) => Promise<Verification>;
  readonly verifications: VerificationStore;
  readonly runLeased: RunLeased;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

const leaseRetryMs = 500;
const progressMs = 5_000;
const problemsLogged = 10;

export function createVerifier(parts: VerifierParts): Verifier {
  const { verifications, clock, logger, runLeased, stopping } = parts;
  let state: VerificationState | null = null;

  async function verify(signal: AbortSignal): Promise<VerificationRecord> {
    const startedAtMs = clock.now();
    const onProgress = progressOf(parts, startedAtMs);
    const result = await recordVerification(() => parts.verify({ signal, onProgress }));
    const record = { ...result, startedAtMs, finishedAtMs: clock.now() };
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
    const last = await verifications.findLast();
    return last === null || clock.now() - last.finishedAtMs >= intervalMs;
  }

  return {
    async run() {
      for (;;) {
        const record = await runLeased('verification', verify);
        if (record !== null) return record;
        await pause(leaseRetryMs, stopping);
        stopping.throwIfAborted();
      }
    },
    async runIfDue(intervalMs) {
      if (!(await isDue(intervalMs))) return;
      await runLeased('verification', async (signal) => {
        // Another process may have finished one just before.
        if (await isDue(intervalMs)) await verify(signal);
      });
    },
    state: () => state,
    async readState() {
      state = await readState(verifications);
    },
  };
}

/** Stores and logs the progress now and then; one that cannot be stored is only logged. */
function progressOf(
  { verifications, clock, logger }: VerifierParts,
  startedAtMs: number,
): VerificationOptions['onProgress'] {
  let reportedAtMs = startedAtMs;
  return (counts) => {
    const updatedAtMs = clock.now();
    if (updatedAtMs - reportedAtMs < progressMs) return;
    reportedAtMs = updatedAtMs;
    const speed = speedOf(counts.entries, updatedAtMs - startedAtMs);
    logger.info({ ...counts, ...speed }, 'journal verification progress');
    verifications
      .saveProgress({ ...counts, startedAtMs, updatedAtMs })
      .catch((error: unknown) => logger.warn({ err: error }, 'verification progress not stored'));
  };
}

/** A verification may run in a process without a metrics endpoint: every replica reports it. */
async function readState(verifications: VerificationStore): Promise<VerificationState | null> {
  const last = await verifications.findLast();
  if (last === null) return null;
  const running = await verifications.findProgress();
  const { entries_per_second: entriesPerSecond } = running
    ? speedOf(running.entries, running.updatedAtMs - running.startedAtMs)
    : speedOf(last.entries, last.finishedAtMs - last.startedAtMs);
  return { problems: last.problems.length, finishedAtMs: last.finishedAtMs, entriesPerSecond };
}

function speedOf(entries: number, durationMs: number) {
  return { entries_per_second: Math.round((entries * 1_000) / Math.max(1, durationMs)) };
}
