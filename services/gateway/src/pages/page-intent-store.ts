import {
  type AccountId,
  accountId,
  type ProjectId,
  projectId,
  type RequestId,
  requestId,
} from '@inventory/contracts/ids';
import { pageProducts } from '@inventory/contracts/vocabulary';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { retryOnce } from '@inventory/mongo/many-documents';
import { dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue } from '@inventory/work/work-queue';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { type IntentTimes, type PageIntent, reversalWaitMaxMs } from './page-intent.domain.ts';

const collectionName = 'page_intents';
const batchMax = 200;
const waitingMax = 5_000;

export const pageIntentIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [workIndex, { name: 'chain', keys: { chainId: 1 }, options: whereExists('chainId') }],
};

/** An intent; its work is the reversal of its charge. */
const documents = {
  collection: collectionName,
  schema: z.object({
    _id: requestId,
    accountId,
    projectId,
    productCode: z.enum(pageProducts),
    /** Set for a page of a chain. */
    chainId: z.string().exactOptional(),
    keyId: z.string().nullable(),
    deadline: z.date(),
    work: workField,
  }),
};
type PageIntentDocument = z.infer<typeof documents.schema>;

/** The pending reversal of an account's charge. */
export interface PendingReversal {
  readonly requestId: RequestId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  /** The chain that is excluded from capture before the reversal is deleted. */
  readonly chainId: string | null;
  /** The key that is released once the charge is reversed. */
  readonly keyId: string | null;
}

export type PageIntentStore = ReturnType<typeof createPageIntentStore>;

export function createPageIntentStore(
  db: Db,
  times: IntentTimes & { readonly storeMs: number },
  logger: Logger,
) {
  const { storeMs } = times;
  const collection = db.collection<PageIntentDocument>(collectionName);

  const additions = createBatcher<PageIntent, undefined>({
    itemsMax: batchMax,
    waitingMax,
    flush: async (intents) => {
      // One that is there already is the same one, by a first execution whose answer was lost.
      const inserted = refusedWrites(collection.insertMany(intents.map(toDoc), { ordered: false }));
      await withDeadline(inserted, storeMs, 'storing charge intents');
      return intents.map(() => undefined);
    },
  });

  const removals = createBatcher<RequestId, undefined>({
    itemsMax: batchMax,
    waitingMax,
    flush: async (requestIds) => {
      const these = { _id: { $in: [...requestIds] } };
      const deleted = retryOnce(() => collection.deleteMany(these));
      await withDeadline(deleted, storeMs, 'deleting charge intents');
      return requestIds.map(() => undefined);
    },
  });

  return {
    /** Resolves when the intent is durable. Concurrent calls share a write. */
    async insertIntent(intent: PageIntent): Promise<void> {
      await additions.add(intent);
    },
    /** Resolves when the intent is deleted. Concurrent calls share a write. */
    async deleteIntent(requestId: RequestId): Promise<void> {
      await removals.add(requestId);
    },
    /** Makes the reversal due now instead of after the intent's deadline. */
    async expediteReversal(requestId: RequestId, nowMs: number): Promise<void> {
      const unclaimed = { _id: requestId, 'work.tries': 0 };
      await collection.updateOne(unclaimed, { $min: { 'work.dueAtMs': nowMs } });
    },
    /** Whether a page of the chain has an open intent. */
    async hasOpenIntent(chainId: string): Promise<boolean> {
      return (await collection.findOne({ chainId }, { projection: { _id: 1 } })) !== null;
    },
    reversals: createWorkQueue({
      collection,
      documents,
      // A charge without a page stands no longer, whatever clock wrote its intent.
      waitMaxMs: reversalWaitMaxMs(times),
      toItem: toReversal,
      completed: 'deleted',
      logger,
    }),
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
    work: newWork(intent.reverseAtMs),
  };
}

function toReversal(document: PageIntentDocument): PendingReversal {
  const { _id: requestId, accountId, projectId, chainId = null, keyId } = document;
  return { requestId, accountId, projectId, chainId, keyId };
}
