import {
  type AccountId,
  accountId,
  type ProjectId,
  projectId,
  type RefreshId,
  refreshId,
} from '@inventory/contracts/ids';
import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import { z } from 'zod';
import type { PendingCommand } from '../commands/pending-command.domain.ts';
import {
  createPendingCommandStore,
  type PendingCommandStore,
  pendingCommandIndexes,
  pendingFields,
} from '../commands/pending-command-store.ts';
import type { Deadlines } from '../deadlines.ts';

const collectionName = 'pending_cancels';

export const pendingCancelIndexes = pendingCommandIndexes(collectionName);

const documents = {
  collection: collectionName,
  schema: z.object({
    _id: refreshId,
    accountId,
    projectId,
    requestedAt: z.date(),
    ...pendingFields,
  }),
};
type PendingCancelDocument = z.infer<typeof documents.schema>;

/** The cancel of an attempt whose response was `outcome: "unknown"`. */
export interface PendingCancel extends PendingCommand {
  readonly id: RefreshId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly requestedAtMs: number;
}

export interface PendingCancelStore {
  /** Resolves when the cancel is durable: it is sent also after a crash of this process. */
  insertCancel(cancel: Omit<PendingCancel, 'dueAtMs' | 'epoch'>): Promise<void>;
  readonly pending: PendingCommandStore<PendingCancel>;
}

export function createPendingCancelStore(
  db: Db,
  deadlines: Pick<Deadlines, 'storeMs'>,
  logger: Logger,
): PendingCancelStore {
  const collection = db.collection<PendingCancelDocument>(collectionName);
  return {
    async insertCancel(cancel) {
      const at = dateOf(cancel.requestedAtMs);
      const inserted = collection.insertOne({
        _id: cancel.id,
        accountId: cancel.accountId,
        projectId: cancel.projectId,
        requestedAt: at,
        dueAt: at,
        epoch: 0,
        claimedBy: null,
      });
      await withDeadline(inserted, deadlines.storeMs, 'storing a pending cancel');
    },
    pending: createPendingCommandStore(collection, fromDoc, logger),
  };
}

function fromDoc(stored: PendingCancelDocument): PendingCancel {
  const document = parseDocument(documents, stored);
  return {
    id: document._id,
    accountId: document.accountId,
    projectId: document.projectId,
    requestedAtMs: document.requestedAt.getTime(),
    dueAtMs: document.dueAt.getTime(),
    epoch: document.epoch,
  };
}
