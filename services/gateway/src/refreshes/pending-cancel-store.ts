import {
  type AccountId,
  accountId,
  type ProjectId,
  projectId,
  type RefreshId,
  refreshId,
} from '@inventory/contracts/ids';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { createSharedInserts, sharedCommands } from '@inventory/mongo/shared-commands';
import { dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue, makeDue } from '@inventory/work/work-queue';
import type { Db } from 'mongodb';
import { z } from 'zod';

const collectionName = 'pending_cancels';
const cancelsPerCommand = 200;

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

export type PendingCancelStore = ReturnType<typeof createPendingCancelStore>;

export function createPendingCancelStore(
  db: Db,
  { storeMs, waitMaxMs }: { readonly storeMs: number; readonly waitMaxMs: number },
  logger: Logger,
) {
  const collection = db.collection<PendingCancelDocument>(collectionName);

  const insertions = createSharedInserts<PendingCancelDocument>(collection, cancelsPerCommand);

  /** Where some were not deleted, a replica has claimed those: the others are as they should be. */
  const withdrawals = createBatcher<RefreshId, boolean>({
    ...sharedCommands,
    itemsMax: cancelsPerCommand,
    async flush(ids) {
      const some = { _id: { $in: [...ids] } };
      // Deletions of one document each are retried by the driver, and counted once.
      const deletions = ids.map((_id) => ({ deleteOne: { filter: { _id, 'work.tries': 0 } } }));
      const { deletedCount } = await collection.bulkWrite(deletions, { ordered: false });
      if (deletedCount === ids.length) return ids.map(() => true);
      const claimed = await collection.find(some, { projection: { _id: 1 } }).toArray();
      // One that a replica has sent and deleted meanwhile cannot be distinguished from those deleted here.
      const areTold = deletedCount + claimed.length === ids.length;
      return ids.map((id) => areTold && !claimed.some(({ _id }) => _id === id));
    },
  });

  return {
    /** Resolves when the cancel is durable: it is sent at `dueAtMs`, also if this process crashes. */
    async insertCancel(cancel: PendingCancel, dueAtMs: number): Promise<void> {
      const inserted = insertions.add({ ...toFields(cancel), work: newWork(dueAtMs) });
      await withDeadline(inserted, storeMs, 'storing a pending cancel');
    },
    /** Whether the cancel was deleted and is never sent; false once a replica sends it. */
    withdrawCancel: (refreshId: RefreshId): Promise<boolean> =>
      withDeadline(withdrawals.add(refreshId), storeMs, 'deleting a pending cancel'),
    /** Makes the cancel due now; inserts one that may have been withdrawn. */
    async expediteCancel(cancel: PendingCancel, dueAtMs: number): Promise<void> {
      const due = [{ which: toFields(cancel), dueAtMs }];
      const written = makeDue(collection, due, { insertMissing: true });
      await withDeadline(written, storeMs, 'storing a pending cancel');
    },
    cancels: createWorkQueue({
      collection,
      documents,
      waitMaxMs,
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
