import { type RefreshId, refreshId } from '@inventory/contracts/ids';
import { type CancelRequest, refreshCancelRequested } from '@inventory/contracts/messages/refresh';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { createSharedInserts, sharedCommands } from '@inventory/mongo/shared-commands';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue, makeDue } from '@inventory/work/work-queue';
import type { Db } from 'mongodb';
import type { z } from 'zod';

const collectionName = 'pending_cancels';
const cancelsPerCommand = 200;

export const pendingCancelIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [workIndex],
};

/** The cancel of an attempt without a key, from before it is sent until it is decided. */
const documents = {
  collection: collectionName,
  schema: refreshCancelRequested.out.extend({ _id: refreshId, work: workField }),
};
type PendingCancelDocument = z.infer<typeof documents.schema>;

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
    async insertCancel(cancel: CancelRequest, dueAtMs: number): Promise<void> {
      const inserted = insertions.add({ ...toFields(cancel), work: newWork(dueAtMs) });
      await withDeadline(inserted, storeMs, 'storing a pending cancel');
    },
    /** Whether the cancel was deleted and is never sent; false once a replica sends it. */
    withdrawCancel: (refreshId: RefreshId): Promise<boolean> =>
      withDeadline(withdrawals.add(refreshId), storeMs, 'deleting a pending cancel'),
    /** Makes the cancel due now; inserts one that may have been withdrawn. */
    async expediteCancel(cancel: CancelRequest, dueAtMs: number): Promise<void> {
      const due = [{ which: toFields(cancel), dueAtMs }];
      const written = makeDue(collection, due, { insertMissing: true });
      await withDeadline(written, storeMs, 'storing a pending cancel');
    },
    cancels: createWorkQueue({
      collection,
      documents,
      waitMaxMs,
      toItem: (cancel): CancelRequest => cancel,
      completed: 'deleted',
      logger,
    }),
  };
}

/** Of what may have more fields than a cancel. */
function toFields({ refreshId: _id, accountId, projectId, requestedAtMs }: CancelRequest) {
  return { _id, refreshId: _id, accountId, projectId, requestedAtMs };
}
