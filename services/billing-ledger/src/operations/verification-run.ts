import { setImmediate } from 'node:timers/promises';
import type { AccountId } from '@inventory/contracts/ids';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { readCommit, type StoredCommit, UnreadableCommit } from '../storage/commit-document.ts';
import type { JournalProblem } from './verify-account.ts';

export interface VerificationCounts {
  readonly accounts: number;
  readonly entries: number;
}

/** One verification while it runs: what it found, and how far it is. */
export interface VerificationRun {
  readonly report: (problem: JournalProblem) => void;
  /** The first {@link problemsMax}. */
  readonly problems: readonly JournalProblem[];
  /** Every account with a problem. */
  readonly problemAccounts: ReadonlySet<string>;
  readonly counts: () => VerificationCounts;
  addAccount(): void;
  addEntries(count: number): void;
  /** Null for bytes that are no commit, which is reported. */
  read(bytes: Uint8Array): StoredCommit | null;
  /** Lets other work run every {@link sliceMs}; rejects when the signal is aborted. */
  yieldToEventLoop(): Promise<void>;
}

const problemsMax = 1_000;
const sliceMs = 10;

export interface VerificationRunOptions {
  readonly signal: AbortSignal;
  /** Called after each slice. */
  readonly onProgress: (counts: VerificationCounts) => void;
}

export function startRun({ signal, onProgress }: VerificationRunOptions): VerificationRun {
  const problems: JournalProblem[] = [];
  const problemAccounts = new Set<string>();
  let accounts = 0;
  let entries = 0;
  let sliceStartMs = monotonicNow();

  function report(problem: JournalProblem): void {
    problemAccounts.add(problem.accountId);
    if (problems.length < problemsMax) problems.push(problem);
  }

  return {
    report,
    problems,
    problemAccounts,
    counts: () => ({ accounts, entries }),
    addAccount() {
      accounts += 1;
    },
    addEntries(count) {
      entries += count;
    },
    read(bytes) {
      try {
        return readCommit(bytes);
      } catch (error) {
        if (!(error instanceof UnreadableCommit)) throw error;
        report({ accountId: error.accountId, seq: null, problem: error.message });
        return null;
      }
    },
    async yieldToEventLoop() {
      if (elapsedSince(sliceStartMs) < sliceMs) return;
      onProgress({ accounts, entries });
      await setImmediate();
      signal.throwIfAborted();
      sliceStartMs = monotonicNow();
    },
  };
}

/** The account of a commit, by its id. */
export function accountOf({ id }: StoredCommit): AccountId {
  return id.slice(0, id.indexOf('/')) as AccountId;
}
