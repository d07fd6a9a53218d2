import type { AccountId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import type { Account } from '../domain/account.ts';
import { type Hold, holdSetOf, listHolds } from '../domain/hold-set.ts';
import type { Period } from '../domain/period.ts';
import { amountsOf, listAmounts, type ProjectAmount } from '../domain/project-amounts.ts';
import type { Terms } from '../domain/terms.ts';
import { passesCollection, snapshotsCollection } from './collections.ts';
import type { ChainHead } from './commit-document.ts';
import {
  type BalancesDocument,
  fromBalancesDocument,
  toBalancesDocument,
} from './entry-document.ts';

/**
 * A complete account at the end of one of its commits. It only saves reading: whatever is wrong
 * with one, it is left aside and the journal is read from its beginning.
 */
export interface Snapshot {
  readonly account: Account;
  readonly head: ChainHead;
}

interface HoldDocument extends Omit<Hold, 'reservedAt'> {
  readonly reservedAt: Date;
}

interface SnapshotDocument {
  readonly _id: AccountId;
  /** Raised when this shape or the meaning of an entry changes; others are not read. */
  readonly format: number;
  readonly lastSeq: number;
  readonly lastAt: Date;
  readonly headId: string;
  readonly headHash: string;
  readonly credits: BalancesDocument;
  readonly units: BalancesDocument;
  readonly holds: readonly HoldDocument[];
  readonly terms: Terms;
  /** `projects` as a list. */
  readonly spend: { readonly period: Period; readonly projects: readonly ProjectAmount[] };
  /** Absent where there is no hold. */
  readonly oldestHoldAt?: Date;
}

const snapshotFormat = 2;
/** More open holds than this do not fit a document; such an account is read from its journal. */
const holdsMax = 40_000;

export interface SnapshotStore {
  findSnapshot(accountId: AccountId): Promise<Snapshot | null>;
  /** Keeps the newer of this and the stored one. */
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  /** Accounts whose snapshot has a hold made until a time, the oldest hold first. */
  listAccountsWithHolds(
    timeMs: number,
  ): AsyncIterable<{ accountId: AccountId; oldestHoldAt: number }>;
  /** Every readable snapshot by account, in the order of the journal's scan. */
  scanSnapshots(): AsyncIterable<Snapshot>;
  /** Snapshots are up to date with all commits before this time. */
  findPassedThrough(): Promise<number>;
  advancePass(timeMs: number): Promise<void>;
}

interface PassDocument {
  readonly _id: string;
  readonly through: Date;
}

/** Of this format: another one begins with all accounts. */
const snapshotPass = `snapshots/${snapshotFormat}`;

export function createSnapshotStore(db: Db): SnapshotStore {
  const collection = db.collection<SnapshotDocument>(snapshotsCollection);
  const passes = db.collection<PassDocument>(passesCollection);

  return {
    async findSnapshot(accountId) {
      const found = await collection.findOne({ _id: accountId, format: snapshotFormat });
      return found ? readSnapshot(found) : null;
    },
    async saveSnapshot(snapshot) {
      const { accountId, lastSeq, holds } = snapshot.account;
      if (holds.size > holdsMax || snapshot.head.commitId === null) return;
      const older = { $or: [{ lastSeq: { $lt: lastSeq } }, { format: { $ne: snapshotFormat } }] };
      try {
        await collection.replaceOne(
          { _id: accountId, ...older },
          toSnapshotDocument(snapshot, snapshot.head.commitId),
          { upsert: true },
        );
      } catch (error) {
        // The one that is there is as new as this one.
        if (!duplicateKeyOf(error)) throw error;
      }
    },
    async *listAccountsWithHolds(timeMs) {
      const found = collection
        .find({ oldestHoldAt: { $lte: dateOf(timeMs) } })
        .project<{ _id: AccountId; oldestHoldAt: Date }>({ oldestHoldAt: 1 })
        .sort({ oldestHoldAt: 1 });
      for await (const { _id, oldestHoldAt } of found) {
        yield { accountId: _id, oldestHoldAt: oldestHoldAt.getTime() };
      }
    },
    async *scanSnapshots() {
      const found = collection.find({ format: snapshotFormat }).sort({ _id: 1 }).batchSize(50);
      for await (const document of found) {
        const snapshot = readSnapshot(document);
        if (snapshot) yield snapshot;
      }
    },
    async findPassedThrough() {
      const pass = await passes.findOne({ _id: snapshotPass });
      return pass?.through.getTime() ?? 0;
    },
    async advancePass(timeMs) {
      const through = dateOf(timeMs);
      await passes.updateOne({ _id: snapshotPass }, { $max: { through } }, { upsert: true });
    },
  };
}

function toSnapshotDocument(
  { account, head }: Snapshot,
  headId: string,
): Omit<SnapshotDocument, '_id'> {
  const { spend } = account;
  const holds = listHolds(account.holds);
  const oldest = holds[0];
  return {
    format: snapshotFormat,
    lastSeq: account.lastSeq,
    lastAt: dateOf(account.lastAt),
    headId,
    headHash: head.hash,
    credits: toBalancesDocument(account.balances.credits),
    units: toBalancesDocument(account.balances.units),
    holds: holds.map((hold) => ({ ...hold, reservedAt: dateOf(hold.reservedAt) })),
    terms: account.terms,
    spend: { period: spend.period, projects: listAmounts(spend.projects) },
    ...(oldest ? { oldestHoldAt: dateOf(oldest.reservedAt) } : {}),
  };
}

/** Null for a document that is no snapshot: it is as if there were none. */
function readSnapshot(document: SnapshotDocument): Snapshot | null {
  try {
    return fromSnapshotDocument(document);
  } catch {
    return null;
  }
}

function fromSnapshotDocument(document: SnapshotDocument): Snapshot {
  const { spend } = document;
  const holds = document.holds.map((hold) => ({ ...hold, reservedAt: hold.reservedAt.getTime() }));
  return {
    account: {
      accountId: document._id,
      lastSeq: document.lastSeq,
      lastAt: document.lastAt.getTime(),
      balances: {
        credits: fromBalancesDocument(document.credits),
        units: fromBalancesDocument(document.units),
      },
      holds: holdSetOf(holds),
      terms: document.terms,
      spend: { period: spend.period, projects: amountsOf(spend.projects) },
    },
    head: { commitId: document.headId, hash: document.headHash },
  };
}
