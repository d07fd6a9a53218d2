import type { AccountId } from '@inventory/contracts/ids';
import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import { readInPages } from '@inventory/mongo/many-documents';
import type { Db, Filter } from 'mongodb';
import { passesCollection, snapshotsCollection } from '../collections.ts';
import { readingSealed } from '../journal/sealed-mapping.ts';
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

interface PassDocument {
  readonly _id: string;
  readonly throughMs: number;
}

/** Of this format: another one begins with all accounts. */
const snapshotPass = `snapshots/${snapshotFormat}`;
const scanBatch = 50;

export type SnapshotStore = ReturnType<typeof createSnapshotStore>;

export function createSnapshotStore(db: Db) {
  const collection = db.collection<SnapshotDocument>(snapshotsCollection);
  const passes = db.collection<PassDocument>(passesCollection);

  return {
    /** Null where there is none, or it was changed. */
    async findSnapshot(accountId: AccountId): Promise<Snapshot | null> {
      const found = await collection.findOne({ _id: accountId }, readingSealed);
      return (found && readSnapshot(found)?.snapshot) ?? null;
    },
    /** Keeps the newer of this and the stored one. */
    async saveSnapshot(snapshot: Snapshot): Promise<void> {
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
        if (!isDuplicateKey(error)) throw error;
      }
    },
    /** Intact snapshots with a hold made until a time, the oldest hold first. */
    async *listSnapshotsWithHolds(timeMs: number): AsyncIterable<Snapshot> {
      const withHolds = { oldestHoldAtMs: { $lte: timeMs } };
      const found = collection
        .find(withHolds, readingSealed)
        .sort({ oldestHoldAtMs: 1 })
        .batchSize(scanBatch);
      for await (const document of found) {
        const snapshot = readSnapshot(document)?.snapshot;
        if (snapshot) yield snapshot;
      }
    },
    /** Every snapshot of this format by account, in the order of the journal's scan. */
    async *scanSnapshots(): AsyncIterable<StoredSnapshot> {
      const found = readInPages(collection, {}, { ...readingSealed, pageMax: scanBatch });
      for await (const document of found) {
        const stored = readSnapshot(document);
        if (stored) yield stored;
      }
    },
    /** Until then a pass found what the journal had; later commits may have earlier entries. */
    async findPassedThrough(): Promise<number> {
      const pass = await passes.findOne({ _id: snapshotPass });
      return pass?.throughMs ?? 0;
    },
    /** Compare-and-set; false where it is not at `fromMs` any more. */
    async movePass(fromMs: number, toMs: number): Promise<boolean> {
      const filter = { _id: snapshotPass, throughMs: fromMs };
      try {
        const options = { upsert: fromMs === 0 };
        const moved = await passes.updateOne(filter, { $set: { throughMs: toMs } }, options);
        return moved.matchedCount + moved.upsertedCount === 1;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },
  };
}
