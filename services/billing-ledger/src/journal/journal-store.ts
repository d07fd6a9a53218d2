import { setImmediate } from 'node:timers/promises';
import type { AccountId } from '@inventory/contracts/ids';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { readInPages } from '@inventory/mongo/many-documents';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { Collection, Db, Filter, FindOptions } from 'mongodb';
import { type Entry, entryKeys } from '../accounts/entry.domain.ts';
import { commitsCollection } from '../collections.ts';
import { storedCommandKey } from './command-key-mapping.ts';
import {
  type ChainHead,
  type CommitDocument,
  commitId,
  commitIdRange,
  firstSeqOf,
  type NewCommit,
  readCommit,
  requireIntact,
  type StoredCommit,
  sealCommit,
} from './commit-document.ts';
import { readingSealed } from './sealed-mapping.ts';

/**
 * - `appended`: stored; the chain continues from `head`.
 * - `refused`: not stored: another writer was first, or one of its commands was recorded before.
 */
export type AppendResult =
  | { readonly result: 'appended'; readonly head: ChainHead }
  | { readonly result: 'refused' };

/** Which account was active up to which position. */
export interface AccountActivity {
  readonly accountId: AccountId;
  readonly lastSeq: number;
  readonly atMs: number;
}

/** Where a commit lies in its account's journal. */
export interface CommitPosition {
  readonly id: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Of its last entry. */
  readonly atMs: number;
}

const scanBatch = 1_000;
const byId = { _id: 1 } as const;

/** The journal of all accounts: commits are added and read, never changed. */
export type Journal = ReturnType<typeof createJournal>;

export function createJournal(db: Db, writer: string) {
  const collection = db.collection<CommitDocument>(commitsCollection);
  /** The account selects the shard, the range of ids the documents. */
  const readInOrder = (accountId: AccountId, from: string, order: 1 | -1, limit: number) => {
    const filter = { accountId, _id: { $gte: from, $lt: commitIdRange(accountId).to } };
    return read(collection, filter, { hint: byId, sort: { _id: order }, limit });
  };

  return {
    /**
     * Stores commits of different accounts; one result per commit, in order. A rejection leaves
     * open which of them are stored.
     */
    appendCommits: (commits: readonly NewCommit[]): Promise<readonly AppendResult[]> =>
      insert(
        collection,
        commits.map((commit) => sealCommit(commit, writer)),
      ),
    /**
     * The recorded entries of any of these command keys of an account. Rejects with BrokenJournal
     * where one is in a commit that was changed.
     */
    async findRecorded(accountId: AccountId, keys: readonly string[]): Promise<readonly Entry[]> {
      const wanted = new Set(keys);
      const stored = keys.map((key) => storedCommandKey(accountId, key));
      const byKey = { accountId, commandKeys: { $in: stored } };
      const found = await read(collection, byKey, { limit: keys.length });
      return requireIntact(found)
        .flatMap((commit) => commit.entries)
        .filter((entry) => entryKeys(entry).some((key) => wanted.has(key)));
    },
    /** Journal of an account in order, from the one with id `fromId` on; all when null. */
    readCommits(
      accountId: AccountId,
      fromId: string | null,
      limit: number,
    ): Promise<readonly StoredCommit[]> {
      return readInOrder(accountId, fromId ?? commitIdRange(accountId).from, 1, limit);
    },
    async findNewestCommit(accountId: AccountId): Promise<StoredCommit | null> {
      const { from } = commitIdRange(accountId);
      const [commit] = await readInOrder(accountId, from, -1, 1);
      return commit ?? null;
    },
    /** The commit that holds a position, or the last one before it. */
    async findCommitAt(accountId: AccountId, seq: number): Promise<CommitPosition | null> {
      const { from } = commitIdRange(accountId);
      const before = { $gte: from, $lte: commitId(accountId, seq) };
      const found = await collection.findOne(
        { accountId, _id: before },
        { hint: byId, sort: { _id: -1 }, projection: { lastSeq: 1, atMs: 1 } },
      );
      if (found === null) return null;
      const { _id: id, lastSeq, atMs } = found;
      return { id, firstSeq: firstSeqOf(id), lastSeq, atMs };
    },
    /** Journal made at or after a time, oldest first. */
    async listActiveAccounts(timeMs: number, limit: number): Promise<readonly AccountActivity[]> {
      const projection = { _id: 0, accountId: 1, lastSeq: 1, atMs: 1 };
      const options = { projection, hint: 'activity', sort: { atMs: 1 }, limit } as const;
      return await collection.find<AccountActivity>({ atMs: { $gte: timeMs } }, options).toArray();
    },
    /** Every commit as stored, account by account, each in order. */
    scanCommits: (): AsyncIterable<CommitDocument> =>
      readInPages(collection, {}, { ...readingSealed, pageMax: scanBatch }),
  };
}

/** A large page is decoded in slices, so that commits are written in between. */
const sliceMs = 5;

async function read(
  collection: Collection<CommitDocument>,
  filter: Filter<CommitDocument>,
  options: FindOptions,
): Promise<StoredCommit[]> {
  const found = await collection.find(filter, { ...options, ...readingSealed }).toArray();
  const commits: StoredCommit[] = [];
  let sliceStartMs = monotonicNow();
  for (const document of found) {
    commits.push(readCommit(document));
    if (elapsedSince(sliceStartMs) < sliceMs) continue;
    await setImmediate();
    sliceStartMs = monotonicNow();
  }
  return commits;
}

async function insert(
  collection: Collection<CommitDocument>,
  documents: readonly CommitDocument[],
): Promise<AppendResult[]> {
  // The two indexes are not distinguished: the writer reads in either case.
  const refused = await refusedWrites(collection.insertMany([...documents], { ordered: false }));
  return documents.map(({ _id, hash }, index) =>
    refused.has(index)
      ? { result: 'refused' }
      : { result: 'appended', head: { commitId: _id, hash } },
  );
}
