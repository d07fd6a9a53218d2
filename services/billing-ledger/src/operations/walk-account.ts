import type { AccountId } from '@inventory/contracts/ids';
import type { PriceBook } from '../domain/price-list.ts';
import { type DayUsage, dayOf } from '../domain/usage.ts';
import type { StoredCommit } from '../storage/commit-document.ts';
import type { Journal } from '../storage/journal.ts';
import type { Snapshot, StoredSnapshot } from '../storage/snapshot-document.ts';
import type { PeekQueue } from './peek-queue.ts';
import {
  checkCommit,
  finishAccountCheck,
  type JournalProblem,
  startAccountCheck,
} from './verify-account.ts';
import { startUsageCheck } from './verify-usage.ts';

/** What is stored beside the commits of one account. */
export interface AccountDocuments {
  readonly accountId: AccountId;
  /** The account that the walk starts from; null for the first entry. */
  readonly start: Snapshot | null;
  readonly snapshot: StoredSnapshot | null;
  /** Roll-ups of the days after the start, in order. */
  readonly days: PeekQueue<DayUsage>;
  readonly rolledUpSeq: number;
}

export interface WalkAccountDeps {
  readonly journal: Pick<Journal, 'readCommits'>;
  readonly prices: PriceBook;
  readonly report: (problem: JournalProblem) => void;
}

/** One account while its commits are checked in order. */
export interface AccountWalk {
  readonly accountId: AccountId;
  add(commit: StoredCommit): Promise<void>;
  /** After the last commit that was scanned. */
  finish(): Promise<WalkResult>;
}

export interface WalkResult {
  readonly entries: number;
  /**
   * Where the next verification can continue: the end of the last day that is complete, so that
   * its roll-ups are too. Null where none is, and where there were problems.
   */
  readonly checkpoint: Snapshot | null;
}

const commitsPerRead = 50;

export function startWalk(deps: WalkAccountDeps, documents: AccountDocuments): AccountWalk {
  const { accountId, start, snapshot, days, rolledUpSeq } = documents;
  let isSound = true;
  const report = (problem: JournalProblem) => {
    isSound = false;
    deps.report(problem);
  };
  const check = startAccountCheck({ accountId, start, snapshot, report });
  const usage = startUsageCheck({ days, rolledUpSeq, report: check.report });
  let entries = 0;
  let checkpoint: Snapshot | null = null;

  async function add(commit: StoredCommit): Promise<void> {
    const { account, head } = check;
    const [first] = commit.entries;
    const isNewDay = first !== undefined && dayOf(first.at) > dayOf(account.lastAt);
    if (isNewDay && account.lastSeq > 0) checkpoint = { account, head };
    try {
      checkCommit(check, commit, deps.prices);
    } catch (error) {
      // Changed so far that it is not even of the right kind; the others still are to be checked.
      const detail = error instanceof Error ? error.message : String(error);
      check.report(commit.firstSeq, `commit cannot be checked: ${detail}`);
    }
    for (const entry of commit.entries) await usage.add(entry);
    entries += commit.entries.length;
  }

  /** Snapshots and roll-ups may be newer than the scan: the commits made meanwhile are read then. */
  async function catchUp(): Promise<void> {
    const isBehind = () =>
      Math.max(check.snapshot?.account.lastSeq ?? 0, usage.throughSeq()) > check.account.lastSeq;
    while (isBehind()) {
      const page = await deps.journal.readCommits(accountId, check.head.commitId, commitsPerRead);
      const fresh = page.filter(({ firstSeq }) => firstSeq > check.account.lastSeq);
      for (const commit of fresh) await add(commit);
      if (page.length < commitsPerRead) return;
    }
  }

  return {
    accountId,
    add,
    async finish() {
      await catchUp();
      finishAccountCheck(check);
      await usage.finish(check.account.lastSeq);
      // A day that is not rolled up to its end yet would never be compared.
      const isRolledUp = (checkpoint?.account.lastSeq ?? 0) <= rolledUpSeq;
      return { entries, checkpoint: isSound && isRolledUp ? checkpoint : null };
    },
  };
}
