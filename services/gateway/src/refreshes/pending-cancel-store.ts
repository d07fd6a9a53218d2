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
import { createWorkQueue, type WorkQueue } from '@inventory/work/work-queue';
import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Deadlines } from '../deadlines.ts';

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

/** The cancel of an attempt whose response was `outcome: "unknown"`. */
export interface PendingCancel {
  readonly refreshId: RefreshId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly requestedAtMs: number;
}

export interface PendingCancelStore {
  /** Resolves when the cancel is durable: it is sent also after a crash of this process. */
  insertCancel(cancel: PendingCancel): Promise<void>;
  readonly cancels: WorkQueue<PendingCancel>;
}

export function createPendingCancelStore(
  db: Db,
  deadlines: Pick<Deadlines, 'storeMs'>,
  logger: Logger,
): PendingCancelStore {
  const collection = db.collection<PendingCancelDocument>(collectionName);
  return {
    async insertCancel(cancel) {
      const { refreshId: _id, accountId, projectId, requestedAtMs } = cancel;
      const requestedAt = dateOf(requestedAtMs);
      const work = newWork(requestedAtMs);
      const inserted = collection.insertOne({ _id, accountId, projectId, requestedAt, work });
      await withDeadline(inserted, deadlines.storeMs, 'storing a pending cancel');
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

function toCancel(document: PendingCancelDocument): PendingCancel {
  const { _id: refreshId, accountId, projectId, requestedAt } = document;
  return { refreshId, accountId, projectId, requestedAtMs: requestedAt.getTime() };
}
