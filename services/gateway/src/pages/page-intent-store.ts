import { type RequestId, requestId } from '@inventory/contracts/ids';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { retryOnce } from '@inventory/mongo/many-documents';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue } from '@inventory/work/work-queue';
import type { Db } from 'mongodb';
import type { z } from 'zod';
import {
  type IntentTimes,
  type PageIntent,
  type PageRead,
  pageRead,
  reversalWaitMaxMs,
} from './page-intent.domain.ts';

const collectionName = 'page_intents';
const batchMax = 200;
const waitingMax = 5_000;

export const pageIntentIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    workIndex,
    {
      name: 'chain',
      keys: { chainId: 1 },
      options: { partialFilterExpression: { chainId: { $gt: '' } } },
    },
  ],
};

/** The read of an intent; its work is the reversal of its charge. */
const documents = {
  collection: collectionName,
  schema: pageRead.extend({ _id: requestId, work: workField }),
};
type PageIntentDocument = z.infer<typeof documents.schema>;

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
      // One that is there already is the same one, by a first execution whose response was lost.
      const inserted = refusedWrites(
        collection.insertMany(intents.map(toDocument), { ordered: false }),
      );
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
      toItem: ({ _id, work, ...read }): PageRead => read,
      completed: 'deleted',
      logger,
    }),
  };
}

/** A page has no first byte past its deadline, and the reversal is due after it: only that is stored. */
function toDocument({ deadlineMs: _, reverseAtMs, ...read }: PageIntent): PageIntentDocument {
  return { _id: read.requestId, ...read, work: newWork(reverseAtMs) };
}
