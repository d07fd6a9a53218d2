import type { AccountId } from '@inventory/contracts/ids';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { heldAmount, type LedgerAccount, newAccount } from '../accounts/account.domain.ts';
import { limitsOf } from '../accounts/account-limits.domain.ts';
import { areEqual } from '../accounts/balances.domain.ts';
import { chargeKey } from '../accounts/command.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { listHolds } from '../accounts/hold-set.domain.ts';
import {
  chainStart,
  isSameSubscription,
  type StoredCommit,
  subscriptionOf,
  unlessBroken,
} from '../journal/commit-document.ts';
import type { Journal } from '../journal/journal-store.ts';
import type { PriceListCache } from '../prices/price-lists.ts';
import { isSameState, type StoredSnapshot } from '../snapshots/snapshot-document.ts';
import { adoptEntry, entryProblems } from './check-entry.domain.ts';
import { type AccountUsage, startUsageCheck } from './usage-check.ts';
import type { JournalProblem } from './verification-store.ts';

/** What is stored of an account beside its commits. */
export interface AccountDocuments extends AccountUsage {
  readonly accountId: AccountId;
  readonly stored: StoredSnapshot | null;
}

export type AccountCheck = ReturnType<typeof startAccountCheck>;

type Report = (seq: number | null, problem: string) => void;

const commitsPerRead = 50;

/**
 * One account while its journal is gone through from the first entry. The prices are read again
 * while it runs: a list that is published meanwhile may be used meanwhile.
 */
export function startAccountCheck(
  documents: AccountDocuments,
  journal: Journal,
  prices: PriceListCache,
  onProblem: (problem: JournalProblem) => void,
) {
  const { accountId, stored } = documents;
  const report: Report = (seq, problem) => onProblem({ accountId, seq, problem });
  const usage = startUsageCheck(documents, report);
  let account = newAccount(accountId);
  let head = chainStart;
  let entries = 0;
  /** Null when it was compared. */
  let snapshot = stored?.snapshot ?? null;
  if (stored && !snapshot) report(stored.lastSeq, 'snapshot hash mismatch');

  function checkCommit(commit: StoredCommit, charges: Charges): void {
    if (!commit.isIntact) report(commit.firstSeq, 'commit hash mismatch');
    if (commit.prevHash !== head.hash) report(commit.firstSeq, 'previous commit hash mismatch');
    for (const entry of commit.entries) {
      const charge = charges.get(entry.requestId);
      for (const problem of entryProblems(account, entry, { prices: prices.book, charge })) {
        report(entry.seq, `${entry.kind} ${problem}`);
      }
      account = adoptEntry(account, entry);
    }
    checkSummary(account, commit, report);
    head = { commitId: commit.id, hash: commit.hash };
    if (snapshot?.account.lastSeq !== account.lastSeq) return;
    if (!isSameState(snapshot, { account, head })) {
      report(account.lastSeq, 'snapshot does not match the fold');
    }
    snapshot = null;
  }

  async function add(commit: StoredCommit): Promise<void> {
    await prices.reloadIfOld();
    const charges = await readCharges(journal, commit);
    try {
      checkCommit(commit, charges);
    } catch (error) {
      // Changed so far that it is not even of the right kind; the others still are to be checked.
      const detail = error instanceof Error ? error.message : String(error);
      report(commit.firstSeq, `commit cannot be checked: ${detail}`);
    }
    for (const entry of commit.entries) await usage.add(entry);
    entries += commit.entries.length;
  }

  /** Snapshots and roll-ups may be newer than the scan: the commits made meanwhile are read then. */
  async function catchUp(): Promise<void> {
    await usage.readAll();
    const isOutdated = () =>
      Math.max(snapshot?.account.lastSeq ?? 0, usage.throughSeq()) > account.lastSeq;
    while (isOutdated()) {
      const page = await unlessBroken(
        journal.readCommits(accountId, head.commitId, commitsPerRead),
      );
      const fresh = page.filter(({ firstSeq }) => firstSeq > account.lastSeq);
      for (const commit of fresh) await add(commit);
      if (page.length < commitsPerRead) return;
    }
  }

  return {
    accountId,
    /** Checks the next commit and continues after it, whatever is wrong with it. */
    add,
    /** After the last commit that was scanned; how many entries were checked. */
    async finish(): Promise<number> {
      await catchUp();
      checkHolds(account, report);
      if (snapshot) {
        const { lastSeq } = snapshot.account;
        if (lastSeq > account.lastSeq) report(lastSeq, 'journal ends before its snapshot');
        else report(lastSeq, 'snapshot ends inside a commit');
      }
      if (usage.throughSeq() > account.lastSeq) {
        report(usage.throughSeq(), 'journal ends before its usage roll-up');
      }
      usage.finish(account.lastSeq);
      return entries;
    },
  };
}

/** The entries of charges, by their request. */
type Charges = ReadonlyMap<Entry['requestId'], Entry>;

/** Those that the reversals of a commit end; they may lie anywhere in the journal. */
async function readCharges(
  journal: Journal,
  { accountId, entries }: StoredCommit,
): Promise<Charges> {
  const keys = entries.flatMap(({ kind, requestId }) =>
    kind === 'reverse' && requestId !== null ? [chargeKey(requestId)] : [],
  );
  if (keys.length === 0) return new Map();
  const found = await unlessBroken(journal.findRecorded(accountId, keys));
  return new Map(found.map((entry) => [entry.requestId, entry]));
}

function checkHolds(account: LedgerAccount, report: Report): void {
  const holds = listHolds(account.holds);
  for (const asset of ledgerAssets) {
    if (heldAmount(holds, asset) !== account.balances[asset].held) {
      report(account.lastSeq, `open holds do not add up to held ${asset}`);
    }
  }
}

function checkSummary(account: LedgerAccount, commit: StoredCommit, report: Report): void {
  for (const asset of ledgerAssets) {
    if (!areEqual(commit.balances[asset], account.balances[asset])) {
      report(commit.lastSeq, `commit balances do not match the entries (${asset})`);
    }
  }
  if (!isSameSubscription(commit.subscription, subscriptionOf(account.terms))) {
    report(commit.lastSeq, 'commit subscription does not match the entries');
  }
  const { limits } = commit;
  if (limits !== null && JSON.stringify(limits) !== JSON.stringify(limitsOf(account))) {
    report(commit.lastSeq, 'commit limits do not match the entries');
  }
}
