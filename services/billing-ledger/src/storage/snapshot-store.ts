import type { AccountId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { dateOf } from '@inventory/runtime/clock';
import type { Db, Filter } from 'mongodb';
import { passesCollection, snapshotsCollection } from './collections.ts';
import {
  readSnapshot,
  type Snapshot,
  type SnapshotDocument,
  type StoredSnapshot,
  snapshotFormat,
  toSnapshotDocument,
} from './snapshot-document.ts';

/** More open holds than this do not fit a document; such an account is read from its journal. */
const holdsMax = 40_000;

export interface SnapshotStore {
  /** Null where there is none, or none whose bytes are those that were hashed. */
  findSnapshot(accountId: AccountId): Promise<Snapshot | null>;
  /** Also one that is not intact. */
  findStored(accountId: AccountId): Promise<StoredSnapshot | null>;
  /** Keeps the newer of this and the stored one. */
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  /** Intact snapshots with a hold made until a time, the oldest hold first. */
  listSnapshotsWithHolds(timeMs: number): AsyncIterable<Snapshot>;
  /** Every readable snapshot by account, in the order of the journal's scan. */
  scanSnapshots(): AsyncIterable<StoredSnapshot>;
  /** Until then a pass found what the journal had; later commits may have earlier entries. */
  findPassedThrough(): Promise<number>;
  advancePass(timeMs: number): Promise<void>;
}

interface PassDocument {
  readonly _id: string;
  readonly through: Date;
}

/** Of this format: another one begins with all accounts. */
const snapshotPass = `snapshots/${snapshotFormat}`;
const scanBatch = 50;

export function createSnapshotStore(db: Db): SnapshotStore {
  const collection = db.collection<SnapshotDocument>(snapshotsCollection);
  const passes = db.collection<PassDocument>(passesCollection);

  async function findStored(accountId: AccountId): Promise<StoredSnapshot | null> {
    const [bytes] = await collection.find({ _id: accountId }, { raw: true, limit: 1 }).toArray();
    return bytes ? readSnapshot(bytes as unknown as Uint8Array) : null;
  }

  return {
    async findSnapshot(accountId) {
      const stored = await findStored(accountId);
      return stored?.isIntact ? stored : null;
    },
    findStored,
    async saveSnapshot(snapshot) {
      const { accountId, lastSeq, holds } = snapshot.account;
      if (holds.size > holdsMax || snapshot.head.commitId === null) return;
      const document = toSnapshotDocument(snapshot);
      const isReplaced: Filter<SnapshotDocument>[] = [
        { lastSeq: { $lt: lastSeq } },
        { format: { $ne: snapshotFormat } },
        // Of one position there is one state: the stored one was changed.
        { lastSeq, hash: { $ne: document.hash } },
      ];
      try {
        const filter = { _id: accountId, $or: isReplaced };
        await collection.replaceOne(filter, document, { upsert: true });
      } catch (error) {
        // The stored one is as new as this one.
        if (!duplicateKeyOf(error)) throw error;
      }
    },
    async *listSnapshotsWithHolds(timeMs) {
      const withHolds = { oldestHoldAt: { $lte: dateOf(timeMs) } };
      const found = collection
        .find(withHolds, { raw: true })
        .sort({ oldestHoldAt: 1 })
        .batchSize(scanBatch);
      for await (const bytes of found) {
        const snapshot = readSnapshot(bytes as unknown as Uint8Array);
        if (snapshot?.isIntact) yield snapshot;
      }
    },
    async *scanSnapshots() {
      const found = collection.find({}, { raw: true }).sort({ _id: 1 }).batchSize(scanBatch);
      for await (const bytes of found) {
        const snapshot = readSnapshot(bytes as unknown as Uint8Array);
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
