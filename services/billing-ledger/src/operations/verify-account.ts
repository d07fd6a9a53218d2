import type { AccountId } from '@inventory/contracts/ids';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { type Account, heldAmount, newAccount } from '../domain/account.ts';
import { areEqual } from '../domain/balances.ts';
import { adoptEntry, entryProblems } from '../domain/check-entry.ts';
import { listHolds } from '../domain/hold-set.ts';
import type { PriceBook } from '../domain/price-list.ts';
import { listAmounts } from '../domain/project-amounts.ts';
import { standingOf } from '../domain/standing.ts';
import {
  chainStart,
  commitId,
  isSameSubscription,
  type StoredCommit,
  storedKeysOf,
  subscriptionOf,
} from '../storage/commit-document.ts';
import type { Snapshot, StoredSnapshot } from '../storage/snapshot-document.ts';

export interface JournalProblem {
  readonly accountId: string;
  readonly seq: number | null;
  readonly problem: string;
}

/** One account while its journal is gone through from the first entry. */
export interface AccountCheck {
  readonly accountId: AccountId;
  account: Account;
  head: { readonly commitId: string | null; readonly hash: string };
  /** Cleared when it was compared. */
  snapshot: StoredSnapshot | null;
  readonly report: (seq: number | null, problem: string) => void;
}

export interface AccountCheckOptions {
  readonly accountId: AccountId;
  /** Where the check starts; null for the first entry. */
  readonly start: Snapshot | null;
  readonly snapshot: StoredSnapshot | null;
  readonly report: (problem: JournalProblem) => void;
}

export function startAccountCheck(options: AccountCheckOptions): AccountCheck {
  const { accountId, start, snapshot, report } = options;
  if (snapshot?.isIntact === false) {
    report({ accountId, seq: snapshot.account.lastSeq, problem: 'snapshot hash mismatch' });
  }
  const isBefore = (snapshot?.account.lastSeq ?? 0) < (start?.account.lastSeq ?? 0);
  const check: AccountCheck = {
    accountId,
    account: start?.account ?? newAccount(accountId),
    head: start?.head ?? chainStart,
    snapshot: isBefore ? null : snapshot,
    report: (seq, problem) => report({ accountId, seq, problem }),
  };
  compareSnapshot(check);
  return check;
}

/** Checks the next commit and continues behind it, whatever is wrong with it. */
export function checkCommit(check: AccountCheck, commit: StoredCommit, prices: PriceBook): void {
  const { firstSeq } = commit;
  if (!commit.isIntact) check.report(firstSeq, 'commit hash mismatch');
  if (commit.id !== commitId(check.accountId, firstSeq) || commit.accountId !== check.accountId) {
    check.report(firstSeq, 'commit id does not match its account and first position');
  }
  if (commit.prevHash !== check.head.hash) {
    check.report(firstSeq, 'previous commit hash mismatch');
  }
  for (const entry of commit.entries) {
    for (const problem of entryProblems(check.account, entry, prices)) {
      check.report(entry.seq, `${entry.kind} ${problem}`);
    }
    check.account = adoptEntry(check.account, entry);
  }
  checkSummary(check, commit);
  check.head = { commitId: commit.id, hash: commit.hash };
  compareSnapshot(check);
}

/** What can only be said once the journal of the account is through. */
export function finishAccountCheck(check: AccountCheck): void {
  const { account, snapshot, report } = check;
  const holds = listHolds(account.holds);
  for (const asset of ledgerAssets) {
    if (heldAmount(holds, asset) !== account.balances[asset].held) {
      report(account.lastSeq, `open holds do not add up to held ${asset}`);
    }
  }
  if (!snapshot) return;
  const { lastSeq } = snapshot.account;
  if (lastSeq > account.lastSeq) report(lastSeq, 'journal ends before its snapshot');
  else report(lastSeq, 'snapshot ends inside a commit');
}

function checkSummary(check: AccountCheck, commit: StoredCommit): void {
  const { account, report } = check;
  const last = commit.entries.at(-1);
  if (last?.seq !== commit.lastSeq || last.at !== commit.at) {
    report(commit.firstSeq, 'last position or time does not match the last entry');
  }
  const keys = storedKeysOf(check.accountId, commit.entries);
  if (
    keys.length !== commit.keys.length ||
    !keys.every((key, at) => isSame(key, commit.keys[at]))
  ) {
    report(commit.firstSeq, 'command keys do not match the entries');
  }
  for (const asset of ledgerAssets) {
    if (!areEqual(commit.balances[asset], account.balances[asset])) {
      report(commit.lastSeq, `commit balances do not match the entries (${asset})`);
    }
  }
  if (!isSameSubscription(commit.subscription, subscriptionOf(account))) {
    report(commit.lastSeq, 'commit subscription does not match the entries');
  }
  const { standing } = commit;
  if (standing !== null && JSON.stringify(standing) !== JSON.stringify(standingOf(account))) {
    report(commit.lastSeq, 'commit standing does not match the entries');
  }
}

function compareSnapshot(check: AccountCheck): void {
  const { account, head, snapshot, report } = check;
  if (snapshot?.account.lastSeq !== account.lastSeq) return;
  check.snapshot = null;
  const isEqual =
    snapshot.head.hash === head.hash &&
    snapshot.account.lastAt === account.lastAt &&
    ledgerAssets.every((asset) =>
      areEqual(snapshot.account.balances[asset], account.balances[asset]),
    ) &&
    describeTerms(snapshot.account) === describeTerms(account) &&
    describeHolds(snapshot.account) === describeHolds(account);
  if (!isEqual) report(account.lastSeq, 'snapshot does not match the fold');
}

function describeHolds(account: Account): string {
  return JSON.stringify(
    listHolds(account.holds).map((hold) => [
      hold.refreshId,
      hold.projectId,
      hold.productCode,
      hold.asset,
      hold.amount,
      hold.priceVersion,
      hold.reservedAt,
    ]),
  );
}

/** Fields by name: a store may give them back in another order. */
function describeTerms({ terms, spend }: Account): string {
  const { funding, alert } = terms;
  return JSON.stringify([
    funding.mode === 'credits' ? null : funding.unitsPerMonth,
    terms.allowedPeriod,
    terms.caps.map(({ projectId, cap }) => [projectId, cap]),
    alert && [alert.threshold, alert.isArmed],
    spend.period,
    listAmounts(spend.projects).map(({ projectId, amount }) => [projectId, amount]),
  ]);
}

function isSame(expected: Uint8Array, stored: Uint8Array | undefined): boolean {
  return stored !== undefined && Buffer.compare(expected, stored) === 0;
}
