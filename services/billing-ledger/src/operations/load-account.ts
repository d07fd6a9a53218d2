import type { AccountId } from '@inventory/contracts/ids';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { Bug } from '@inventory/runtime/bug';
import { type Account, applyEntry, heldAmount, newAccount } from '../domain/account.ts';
import { areEqual } from '../domain/balances.ts';
import type { Entry } from '../domain/entry.ts';
import { listHolds } from '../domain/hold-set.ts';
import {
  type ChainHead,
  chainStart,
  isSameSubscription,
  type StoredCommit,
  subscriptionOf,
} from '../storage/commit-document.ts';
import type { Journal } from '../storage/journal.ts';
import type { Snapshot } from '../storage/snapshot-document.ts';
import type { SnapshotStore } from '../storage/snapshot-store.ts';
import type { CachedAccount } from './account-cache.ts';

export interface LoadedAccount extends CachedAccount {
  /** The newest entries that were read on the way, at most {@link tailMax}. */
  readonly tail: readonly Entry[];
}

export type LoadAccount = (accountId: AccountId) => Promise<LoadedAccount>;

export interface LoadAccountDeps {
  readonly journal: Pick<Journal, 'readCommits'>;
  readonly snapshots: Pick<SnapshotStore, 'findSnapshot'>;
}

const commitsPerRead = 50;
const tailMax = 500;

/** The journal of one account does not add up: nothing may be decided on it. */
export class BrokenJournal extends Bug {
  override name = 'BrokenJournal';
}

/**
 * Folds an account from its journal on the primary, beginning at its snapshot where that fits.
 * Rejects with {@link BrokenJournal}, or as the journal does.
 */
export function createLoadAccount(deps: LoadAccountDeps): LoadAccount {
  return async (accountId) => {
    const snapshot = await deps.snapshots.findSnapshot(accountId);
    const resumed = snapshot && (await foldFrom(deps.journal, accountId, snapshot));
    return resumed ?? (await foldAll(deps.journal, accountId));
  };
}

async function foldAll(journal: LoadAccountDeps['journal'], accountId: AccountId) {
  const start = { account: newAccount(accountId), head: chainStart };
  const first = await journal.readCommits(accountId, null, commitsPerRead);
  return fold(journal, { ...start, snapshotSeq: 0, tail: [] }, first);
}

/** Null when the snapshot does not lie on the chain. */
async function foldFrom(
  journal: LoadAccountDeps['journal'],
  accountId: AccountId,
  snapshot: Snapshot,
): Promise<LoadedAccount | null> {
  const first = await journal.readCommits(accountId, snapshot.head.commitId, commitsPerRead);
  const [anchor, ...rest] = first;
  if (!anchor || !isAnchoredAt(snapshot, anchor)) return null;
  const { account, head } = snapshot;
  const start = { account, head, snapshotSeq: account.lastSeq, tail: tailOf([], anchor.entries) };
  return fold(journal, start, rest, first.length < commitsPerRead);
}

function isAnchoredAt({ account, head }: Snapshot, anchor: StoredCommit): boolean {
  return (
    anchor.isIntact &&
    anchor.id === head.commitId &&
    anchor.hash === head.hash &&
    anchor.lastSeq === account.lastSeq &&
    isSameSubscription(anchor.subscription, subscriptionOf(account)) &&
    ledgerAssets.every(
      (asset) =>
        areEqual(anchor.balances[asset], account.balances[asset]) &&
        heldAmount(listHolds(account.holds), asset) === account.balances[asset].held,
    )
  );
}

async function fold(
  journal: LoadAccountDeps['journal'],
  start: LoadedAccount,
  firstCommits: readonly StoredCommit[],
  isWhole = firstCommits.length < commitsPerRead,
): Promise<LoadedAccount> {
  let loaded = start;
  for (const commit of firstCommits) loaded = follow(loaded, commit);
  let more = !isWhole;
  while (more) {
    const { accountId } = loaded.account;
    // Begins with the commit that was folded last.
    const page = await journal.readCommits(accountId, loaded.head.commitId, commitsPerRead);
    for (const commit of page.slice(1)) loaded = follow(loaded, commit);
    more = page.length === commitsPerRead;
  }
  return loaded;
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

function foldCommit(account: Account, head: ChainHead, commit: StoredCommit): Account {
  if (!commit.isIntact) throw new BrokenJournal(`commit ${commit.id}: hash mismatch`);
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
