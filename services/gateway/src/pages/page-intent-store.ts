import {
  type AccountId,
  accountId,
  type ProjectId,
  projectId,
  type RequestId,
  requestId,
} from '@inventory/contracts/ids';
import { productCode } from '@inventory/contracts/vocabulary';
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
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
import type { PageIntent } from './page-intent.domain.ts';

const collectionName = 'page_intents';
const batchMax = 200;
const waitingMax = 5_000;

const { indexes: pending } = pendingCommandIndexes(collectionName);

export const pageIntentIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [...pending, { name: 'chain', keys: { chainId: 1 }, options: whereExists('chainId') }],
};

/** An intent; `dueAt` is when its charge is reversed. */
const documents = {
  collection: collectionName,
  schema: z.object({
    _id: requestId,
    accountId,
    projectId,
    productCode,
    /** Set for a page of a chain. */
    chainId: z.string().exactOptional(),
    /** Absent in documents of earlier versions. */
    keyId: z.string().nullable().default(null),
    deadline: z.date(),
    ...pendingFields,
  }),
};
type PageIntentDocument = z.infer<typeof documents.schema>;

/** The pending reversal of an account's charge. */
export interface PendingReversal extends PendingCommand {
  readonly id: RequestId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  /** The chain that is excluded from capture before the reversal is deleted. */
  readonly chainId: string | null;
  /** The key that is released once the charge is reversed. */
  readonly keyId: string | null;
}

export interface PageIntentStore {
  /** Resolves when the intent is durable. Concurrent calls share a write. */
  insertIntent(intent: PageIntent): Promise<void>;
  /** Resolves when the intent is deleted. Concurrent calls share a write. */
  deleteIntent(requestId: RequestId): Promise<void>;
  /** Makes the reversal due now instead of after the intent's deadline. */
  expediteReversal(requestId: RequestId, nowMs: number): Promise<void>;
  /** Whether a page of the chain has an open intent. */
  hasOpenIntent(chainId: string): Promise<boolean>;
  readonly pending: PendingCommandStore<PendingReversal>;
}

export function createPageIntentStore(
  db: Db,
  deadlines: Pick<Deadlines, 'storeMs'>,
  logger: Logger,
): PageIntentStore {
  const collection = db.collection<PageIntentDocument>(collectionName);

  const additions = createBatcher<PageIntent, undefined>({
    itemsMax: batchMax,
    waitingMax,
    flush: async (intents) => {
      const inserted = collection.insertMany(intents.map(toDoc), { ordered: false });
      await withDeadline(inserted, deadlines.storeMs, 'storing charge intents');
      return intents.map(() => undefined);
    },
  });

  const removals = createBatcher<RequestId, undefined>({
    itemsMax: batchMax,
    waitingMax,
    flush: async (requestIds) => {
      const deleted = collection.deleteMany({ _id: { $in: [...requestIds] } });
      await withDeadline(deleted, deadlines.storeMs, 'deleting charge intents');
      return requestIds.map(() => undefined);
    },
  });

  return {
    insertIntent: (intent) => additions.add(intent),
    deleteIntent: (requestId) => removals.add(requestId),
    async expediteReversal(requestId, nowMs) {
      await collection.updateOne({ _id: requestId, epoch: 0 }, { $min: { dueAt: dateOf(nowMs) } });
    },
    async hasOpenIntent(chainId) {
      return (await collection.findOne({ chainId }, { projection: { _id: 1 } })) !== null;
    },
    pending: createPendingCommandStore(collection, reversalFromDoc, logger),
  };
}

function toDoc(intent: PageIntent): PageIntentDocument {
  return {
    _id: intent.requestId,
    accountId: intent.accountId,
    projectId: intent.projectId,
    productCode: intent.productCode,
    ...(intent.chainId === null ? {} : { chainId: intent.chainId }),
    keyId: intent.keyId,
    deadline: dateOf(intent.deadlineMs),
    dueAt: dateOf(intent.reverseAtMs),
    epoch: 0,
    claimedBy: null,
  };
}

function reversalFromDoc(stored: PageIntentDocument): PendingReversal {
  const document = parseDocument(documents, stored);
  return {
    id: document._id,
    accountId: document.accountId,
    projectId: document.projectId,
    chainId: document.chainId ?? null,
    keyId: document.keyId,
    dueAtMs: document.dueAt.getTime(),
    epoch: document.epoch,
  };
}
