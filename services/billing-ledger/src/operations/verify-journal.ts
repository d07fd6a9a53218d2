import { setImmediate } from 'node:timers/promises';
import type { AccountId } from '@inventory/contracts/ids';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { PriceBook } from '../domain/price-list.ts';
import { measureVerification } from '../metrics.ts';
import { readCommit, type StoredCommit, UnreadableCommit } from '../storage/commit-document.ts';
import type { Journal } from '../storage/journal.ts';
import type { StoredSnapshot } from '../storage/snapshot-document.ts';
import type { SnapshotStore } from '../storage/snapshot-store.ts';
import type { PriceListCache } from './price-list-cache.ts';
import {
  type AccountCheck,
  checkCommit,
  finishAccountCheck,
  type JournalProblem,
  startAccountCheck,
} from './verify-account.ts';

export interface Verification {
  readonly accounts: number;
  readonly entries: number;
  /** The first {@link problemsMax}. */
  readonly problems: readonly JournalProblem[];
}

export interface VerifyJournalDeps {
  readonly journal: Pick<Journal, 'scanCommits' | 'readCommits'>;
  readonly snapshots: Pick<SnapshotStore, 'scanSnapshots'>;
  readonly prices: PriceListCache;
  /** Ends a verification that is under way, which then rejects. */
  readonly stopping?: AbortSignal | undefined;
}

export type VerifyJournal = () => Promise<Verification>;

const problemsMax = 1_000;
const sliceMs = 10;
const commitsPerRead = 50;

/**
 * Refolds every account from its first entry and compares all that is stored beside the entries:
 * balances, hashes, keys, snapshots. It reads only, holds one account at a time, and lets other
 * work run every {@link sliceMs}. Callers that come while it runs share its result.
 */
export function createVerifyJournal(deps: VerifyJournalDeps): VerifyJournal {
  let running: Promise<Verification> | undefined;
  return () => {
    running ??= measureVerification(() => verify(deps)).finally(() => {
      running = undefined;
    });
    return running;
  };
}

interface Run {
  readonly deps: VerifyJournalDeps;
  readonly prices: PriceBook;
  readonly snapshots: SnapshotQueue;
  readonly report: (problem: JournalProblem) => void;
  accounts: number;
  entries: number;
}

async function verify(deps: VerifyJournalDeps): Promise<Verification> {
  await deps.prices.reload();
  const problems: JournalProblem[] = [];
  const report = (problem: JournalProblem) => {
    if (problems.length < problemsMax) problems.push(problem);
  };
  const snapshots = queueOf(deps.snapshots.scanSnapshots());
  const run: Run = { deps, prices: deps.prices.book, snapshots, report, accounts: 0, entries: 0 };
  let check: AccountCheck | null = null;
  let sliceStart = monotonicNow();
  for await (const bytes of deps.journal.scanCommits()) {
    const commit = readOrReport(bytes, report);
    if (commit) check = await checkNext(run, check, commit);
    if (elapsedSince(sliceStart) > sliceMs) {
      await setImmediate();
      deps.stopping?.throwIfAborted();
      sliceStart = monotonicNow();
    }
  }
  if (check) await finish(run, check);
  await reportOrphans(run, null);
  return { accounts: run.accounts, entries: run.entries, problems };
}

async function checkNext(
  run: Run,
  current: AccountCheck | null,
  commit: StoredCommit,
): Promise<AccountCheck> {
  const accountId = commit.id.slice(0, commit.id.indexOf('/')) as AccountId;
  let check = current;
  if (check?.accountId !== accountId) {
    if (check) await finish(run, check);
    check = await begin(run, accountId);
  }
  try {
    checkCommit(check, commit, run.prices);
  } catch (error) {
    // Changed so far that it is not even of the right kind; the others still are to be judged.
    const detail = error instanceof Error ? error.message : String(error);
    check.report(commit.firstSeq, `commit cannot be checked: ${detail}`);
  }
  run.entries += commit.entries.length;
  return check;
}

async function begin(run: Run, accountId: AccountId): Promise<AccountCheck> {
  run.accounts += 1;
  await reportOrphans(run, accountId);
  const next = await run.snapshots.peek();
  const snapshot = next?.account.accountId === accountId ? await run.snapshots.take() : null;
  return startAccountCheck(accountId, snapshot, run.report);
}

/** A snapshot may be newer than what the scan read: the commits made meanwhile are read then. */
async function finish(run: Run, check: AccountCheck): Promise<void> {
  let page: readonly StoredCommit[];
  while (check.snapshot && check.snapshot.account.lastSeq > check.account.lastSeq) {
    page = await run.deps.journal.readCommits(check.accountId, check.head.commitId, commitsPerRead);
    for (const commit of page.slice(1)) checkCommit(check, commit, run.prices);
    run.entries += page.slice(1).reduce((sum, commit) => sum + commit.entries.length, 0);
    if (page.length < commitsPerRead) break;
  }
  finishAccountCheck(check);
}

/** Snapshots of accounts before this one, that the scan has not met. */
async function reportOrphans(run: Run, accountId: AccountId | null): Promise<void> {
  for (;;) {
    const next = await run.snapshots.peek();
    if (!next || (accountId !== null && next.account.accountId >= accountId)) return;
    await run.snapshots.take();
    const orphan = next.account;
    const [first] = await run.deps.journal.readCommits(orphan.accountId, null, 1);
    if (first) continue;
    const problem = 'journal ends before its snapshot';
    run.report({ accountId: orphan.accountId, seq: orphan.lastSeq, problem });
  }
}

function readOrReport(
  bytes: Uint8Array,
  report: (problem: JournalProblem) => void,
): StoredCommit | null {
  try {
    return readCommit(bytes);
  } catch (error) {
    if (!(error instanceof UnreadableCommit)) throw error;
    report({ accountId: error.accountId, seq: null, problem: error.message });
    return null;
  }
}

interface SnapshotQueue {
  peek(): Promise<StoredSnapshot | null>;
  take(): Promise<StoredSnapshot | null>;
}

function queueOf(snapshots: AsyncIterable<StoredSnapshot>): SnapshotQueue {
  const iterator = snapshots[Symbol.asyncIterator]();
  let next: StoredSnapshot | null | undefined;
  async function peek(): Promise<StoredSnapshot | null> {
    if (next === undefined) {
      const read = await iterator.next();
      next = read.done ? null : read.value;
    }
    return next;
  }
  return {
    peek,
    async take() {
      const taken = await peek();
      if (taken) next = undefined;
      return taken;
    },
  };
}
