import type { AccountId } from '@inventory/contracts/ids';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import {
  applyEntry,
  heldAmount,
  type LedgerAccount,
  newAccount,
} from '../accounts/account.domain.ts';
import { areEqual } from '../accounts/balances.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { listHolds } from '../accounts/hold-set.domain.ts';
import type { Snapshot } from '../snapshots/snapshot-document.ts';
import type { SnapshotStore } from '../snapshots/snapshot-store.ts';
import type { CachedAccount } from './account-cache.ts';
import {
  BrokenJournal,
  type ChainHead,
  chainStart,
  isSameSubscription,
  requireIntact,
  type StoredCommit,
  subscriptionOf,
} from './commit-document.ts';
import type { Journal } from './journal-store.ts';

export interface LoadedAccount extends CachedAccount {
  /** The newest entries that were read on the way, at most {@link tailMax}. */
  readonly tail: readonly Entry[];
}

/** Rejects with {@link SnapshotOutdated}, with {@link BrokenJournal}, or as the journal does. */
export type LoadAccount = (accountId: AccountId) => Promise<LoadedAccount>;

export interface LoadedPart {
  readonly loaded: LoadedAccount;
  /** Whether it is the account at the end of its journal. */
  readonly isWhole: boolean;
}

/**
 * Folds the next entries of an account: those after `from`, or from the newest state that is stored
 * of it. Rejects with {@link BrokenJournal}, or as the journal does.
 */
export type LoadPart = (accountId: AccountId, from: LoadedAccount | null) => Promise<LoadedPart>;

const commitsPerRead = 50;
const tailMax = 500;

/** More entries than are folded at once follow what is stored of an account. */
export class SnapshotOutdated extends Error {
  override name = 'SnapshotOutdated';
}

/**
 * Folds an account from its journal on the primary, beginning at its snapshot where that fits.
 * `onOutdated` gets the accounts whose snapshot has to be rebuilt first.
 */
export function createLoadAccount(
  loadPart: LoadPart,
  onOutdated: (accountId: AccountId) => void,
): LoadAccount {
  return async (accountId) => {
    const { loaded, isWhole } = await loadPart(accountId, null);
    if (isWhole) return loaded;
    onOutdated(accountId);
    throw new SnapshotOutdated(`the snapshot of account ${accountId} is outdated`);
  };
}

export function createLoadPart({
  journal,
  snapshots,
  entriesMax,
}: {
  readonly journal: Journal;
  readonly snapshots: SnapshotStore;
  /** Most entries of one part, give or take a commit. */
  readonly entriesMax: number;
}): LoadPart {
  return async (accountId, from) => {
    if (from) {
      const page = await journal.readCommits(accountId, from.head.commitId, commitsPerRead);
      return fold(journal, { start: from, page }, entriesMax);
    }
    const snapshot = await snapshots.findSnapshot(accountId);
    const resumed = snapshot && (await startAt(journal, snapshot));
    if (resumed) return fold(journal, resumed, entriesMax);
    const start = { account: newAccount(accountId), head: chainStart, snapshotSeq: 0, tail: [] };
    const page = await journal.readCommits(accountId, null, commitsPerRead);
    return fold(journal, { start, page }, entriesMax);
  };
}

interface Folding {
  readonly start: LoadedAccount;
  /** The first commits, of which the one of the start may be the first. */
  readonly page: readonly StoredCommit[];
}

/** Null where the stored account does not lie on the chain. */
async function startAt(journal: Journal, { account, head }: Snapshot): Promise<Folding | null> {
  const page = await journal.readCommits(account.accountId, head.commitId, commitsPerRead);
  const [anchor] = page;
  if (!anchor || !isAnchoredAt({ account, head }, anchor)) return null;
  const tail = tailOf([], anchor.entries);
  return { start: { account, head, snapshotSeq: account.lastSeq, tail }, page };
}

async function fold(
  journal: Journal,
  { start, page: firstPage }: Folding,
  entriesMax: number,
): Promise<LoadedPart> {
  const { accountId, lastSeq: startSeq } = start.account;
  let loaded = start;
  let page = firstPage;
  for (;;) {
    for (const commit of page) {
      // A page begins with the commit that was folded last.
      if (commit.id === loaded.head.commitId) continue;
      if (loaded.account.lastSeq - startSeq >= entriesMax) return { loaded, isWhole: false };
      loaded = follow(loaded, commit);
    }
    if (page.length < commitsPerRead) return { loaded, isWhole: true };
    page = await journal.readCommits(accountId, loaded.head.commitId, commitsPerRead);
  }
}

function isAnchoredAt({ account, head }: Snapshot, anchor: StoredCommit): boolean {
  return (
    anchor.isIntact &&
    anchor.id === head.commitId &&
    anchor.hash === head.hash &&
    anchor.lastSeq === account.lastSeq &&
    isSameSubscription(anchor.subscription, subscriptionOf(account.terms)) &&
    ledgerAssets.every(
      (asset) =>
        areEqual(anchor.balances[asset], account.balances[asset]) &&
        heldAmount(listHolds(account.holds), asset) === account.balances[asset].held,
    )
  );
}

function follow(loaded: LoadedAccount, commit: StoredCommit): LoadedAccount {
  const account = foldCommit(loaded.account, loaded.head, commit);
  return {
    account,
    head: { commitId: commit.id, hash: commit.hash },
    snapshotSeq: loaded.snapshotSeq,
    tail: tailOf(loaded.tail, commit.entries),
  };
}

function foldCommit(account: LedgerAccount, head: ChainHead, commit: StoredCommit): LedgerAccount {
  requireIntact([commit]);
  if (commit.prevHash !== head.hash)
    throw new BrokenJournal(`commit ${commit.id}: previous hash mismatch`);
  try {
    return commit.entries.reduce(applyEntry, account);
  } catch (error) {
    throw new BrokenJournal(`commit ${commit.id}: entries do not add up`, { cause: error });
  }
}

function tailOf(tail: readonly Entry[], entries: readonly Entry[]): readonly Entry[] {
  return [...tail, ...entries].slice(-tailMax);
}
