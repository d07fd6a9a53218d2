import {
  type AccountId,
  accountId,
  type ProjectId,
  projectId,
  type RefreshId,
  refreshId,
} from '@inventory/contracts/ids';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue, makeDue, type WorkQueue } from '@inventory/work/work-queue';
import type { Db } from 'mongodb';
import { z } from 'zod';

const collectionName = 'pending_cancels';

export const pendingCancelIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [workIndex],
};

const documents = {
  collection: collectionName,
  schema: z.object({
    _id: refreshId,
    accountId,
    projectId,
    requestedAt: z.date(),
    work: workField,
  }),
};
type PendingCancelDocument = z.infer<typeof documents.schema>;

/** The cancel of an attempt without a key, from before it is sent until it is decided. */
export interface PendingCancel {
  readonly refreshId: RefreshId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly requestedAtMs: number;
}

export interface PendingCancelStore {
  /** Resolves when the cancel is durable: it is sent at `dueAtMs`, also if this process crashes. */
  insertCancel(cancel: PendingCancel, dueAtMs: number): Promise<void>;
  /** Whether the cancel was deleted and is never sent; false once a replica sends it. */
  withdrawCancel(refreshId: RefreshId): Promise<boolean>;
  /** Makes the cancel due now; inserts one that may have been withdrawn. */
  expediteCancel(cancel: PendingCancel, nowMs: number): Promise<void>;
  readonly cancels: WorkQueue<PendingCancel>;
}

export function createPendingCancelStore(
  db: Db,
  { storeMs }: { readonly storeMs: number },
  logger: Logger,
): PendingCancelStore {
  const collection = db.collection<PendingCancelDocument>(collectionName);
  return {
    async insertCancel(cancel, dueAtMs) {
      const inserted = collection.insertOne({ ...toFields(cancel), work: newWork(dueAtMs) });
      await withDeadline(inserted, storeMs, 'storing a pending cancel');
    },
    async withdrawCancel(_id) {
      const deleted = collection.deleteOne({ _id, 'work.tries': 0 });
      return (await withDeadline(deleted, storeMs, 'deleting a pending cancel')).deletedCount === 1;
    },
    async expediteCancel(cancel, dueAtMs) {
      const due = [{ which: toFields(cancel), dueAtMs }];
      const written = makeDue(collection, due, { insertMissing: true });
      await withDeadline(written, storeMs, 'storing a pending cancel');
    },
    cancels: createWorkQueue({
      collection,
      documents,
      toItem: toCancel,
      completed: 'deleted',
      logger,
    }),
  };
}

function toFields({ refreshId: _id, accountId, projectId, requestedAtMs }: PendingCancel) {
  return { _id, accountId, projectId, requestedAt: dateOf(requestedAtMs) };
}

function toCancel(document: PendingCancelDocument): PendingCancel {
  const { _id: refreshId, accountId, projectId, requestedAt } = document;
  return { refreshId, accountId, projectId, requestedAtMs: requestedAt.getTime() };
}
