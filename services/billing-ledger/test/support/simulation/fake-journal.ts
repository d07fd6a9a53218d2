import { type Entry, entryKeys } from '../../../src/accounts/entry.domain.ts';
import {
  type CommitDocument,
  commitId,
  readCommit,
  requireIntact,
  type StoredCommit,
  sealCommit,
} from '../../../src/journal/commit-document.ts';
import type { AppendResult, Journal } from '../../../src/journal/journal-store.ts';
import type { Chance, Process, Scheduler } from './scheduler.ts';

/** A request or its answer was lost on the way. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost';
}

/** What the store guarantees; a simulation can take a guarantee away to see it missed. */
export interface StoreGuarantees {
  readonly uniqueIds: boolean;
  readonly uniqueKeys: boolean;
}

/** The commits of all accounts as one MongoDB would hold them. */
export interface Store {
  /** By account, in the order of their ids; as stored, and what they say. */
  readonly commits: Map<string, Stored[]>;
  /** `<account> <command key>`. */
  readonly keys: Set<string>;
  /** `<account>/<seq>` of every entry. */
  readonly positions: Set<string>;
  readonly guarantees: StoreGuarantees;
  /** The latest time that an honest clock may show now. */
  readonly latestTime: () => number;
  /** Entries whose time is later than that, although the entry before them is not. */
  readonly futureEntries: string[];
}

export interface Stored {
  readonly document: CommitDocument;
  readonly commit: StoredCommit;
}

export function createStore(
  guarantees: StoreGuarantees,
  latestTime: Store['latestTime'] = () => Number.POSITIVE_INFINITY,
): Store {
  const futureEntries: string[] = [];
  return {
    commits: new Map(),
    keys: new Set(),
    positions: new Set(),
    guarantees,
    latestTime,
    futureEntries,
  };
}

export interface Faults {
  /** Cases of a hundred in which a call to a store or bus fails, one way or another. */
  percent: number;
}

export interface JournalConnection {
  readonly store: Store;
  readonly process: Process;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly faults: Faults;
}

/** One process's connection to the store: every call takes time and may fail. */
export function connectJournal(connection: JournalConnection): Journal {
  const { store, process, scheduler, chance, faults } = connection;

  /** A read that fails is simply repeated later: it leaves nothing open. */
  const read = <Value>(effect: () => Value) =>
    scheduler.call(process, () => {
      if (chance.percent(faults.percent)) throw new ConnectionLost('reading');
      return effect();
    });
  const ofAccount = (accountId: string) =>
    (store.commits.get(accountId) ?? []).map(({ commit }) => commit);
  const all = () => [...store.commits.keys()].sort().flatMap(ofAccount);

  return {
    appendCommits: (commits) =>
      scheduler.call(process, () => {
        const documents = commits.map((commit) => sealCommit(commit, 'simulated'));
        const isLost = chance.percent(faults.percent);
        const reached = isLost ? chance.below(documents.length + 1) : documents.length;
        const results = documents.slice(0, reached).map((document) => insert(store, document));
        if (isLost) throw new ConnectionLost('appending');
        return results;
      }),
    findRecorded: (accountId, keys) =>
      read(() => {
        const wanted = new Set(keys);
        const responses = (entry: Entry) => entryKeys(entry).some((key) => wanted.has(key));
        const found = ofAccount(accountId).filter(({ entries }) => entries.some(responses));
        return requireIntact(found).flatMap(({ entries }) => entries.filter(responses));
      }),
    readCommits: (accountId, fromId, limit) =>
      read(() =>
        ofAccount(accountId)
          .filter(({ id }) => id >= (fromId ?? ''))
          .slice(0, limit),
      ),
    findNewestCommit: (accountId) => read(() => ofAccount(accountId).at(-1) ?? null),
    findCommitAt: (accountId, seq) =>
      read(() => {
        const found = ofAccount(accountId).findLast(({ id }) => id <= commitId(accountId, seq));
        if (!found) return null;
        const { id, firstSeq, lastSeq, atMs } = found;
        return { id, firstSeq, lastSeq, atMs };
      }),
    listActiveAccounts: (timeMs, limit) =>
      read(() =>
        all()
          .filter(({ atMs }) => atMs >= timeMs)
          .sort((left, right) => left.atMs - right.atMs)
          .slice(0, limit),
      ),
    async *scanCommits() {
      for (const accountId of [...store.commits.keys()].sort()) {
        for (const { document } of store.commits.get(accountId) ?? []) yield document;
      }
    },
  };
}

function insert(store: Store, document: CommitDocument): AppendResult {
  const { commits, keys, positions, guarantees } = store;
  const { accountId, _id: id, hash } = document;
  const ofAccount = commits.get(accountId) ?? [];
  const indexed = document.commandKeys.map(
    (key) => `${accountId} ${Buffer.from(key).toString('hex')}`,
  );
  const isTaken = guarantees.uniqueIds && ofAccount.some(({ commit }) => commit.id === id);
  if (isTaken || (guarantees.uniqueKeys && indexed.some((key) => keys.has(key)))) {
    return { result: 'refused' };
  }
  const commit = readCommit(document);
  const stored = [...ofAccount, { document, commit }];
  commits.set(
    accountId,
    stored.sort((left, right) => left.commit.firstSeq - right.commit.firstSeq),
  );
  for (const key of indexed) keys.add(key);
  for (const { seq } of commit.entries) positions.add(`${accountId}/${seq}`);
  const previousAt = ofAccount.at(-1)?.commit.atMs ?? 0;
  if (document.atMs > Math.max(previousAt, store.latestTime())) {
    store.futureEntries.push(id);
  }
  return { result: 'appended', head: { commitId: id, hash } };
}
