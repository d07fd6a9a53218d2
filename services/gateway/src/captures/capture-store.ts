import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { isDuplicateKey, upsert } from '@inventory/mongo/duplicate-key';
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { retryOnce } from '@inventory/mongo/many-documents';
import { storedTrace } from '@inventory/mongo/parse-document';
import { invariant } from '@inventory/runtime/bug';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { withDeadline } from '@inventory/runtime/wait';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue } from '@inventory/work/work-queue';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { work } from '../work.ts';
import { type Capture, capture } from './capture.domain.ts';

const collectionName = 'captures';
/** Longer than the life of any cursor of a chain. */
const endedKeptMs = 24 * 3_600_000;

export const captureIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    workIndex,
    {
      name: 'inventory',
      keys: { 'capture.scope.platform_id': 1 },
      options: whereExists('capture.scope.platform_id'),
    },
    { name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
  ],
};

/** The capture of a chain: pending (`work`), or excluded (`expireAt`). */
const documents = {
  collection: collectionName,
  schema: z.object({
    /** The chain's id. */
    _id: z.string(),
    work: workField.exactOptional(),
    capture: capture.exactOptional(),
    trace: storedTrace.exactOptional(),
    /** Only of a chain that must not be captured. */
    expireAt: z.date().exactOptional(),
  }),
};
type CaptureDocument = z.infer<typeof documents.schema>;

/** A pending capture with the trace of the request that created it. */
export interface PendingCapture extends Capture {
  readonly trace: TraceCarrier;
}

export type CaptureStore = ReturnType<typeof createCaptureStore>;

/** Captures of chains: one document for each chain that has a pending capture or is excluded. */
export function createCaptureStore(
  db: Db,
  deadlines: { readonly lookUpMs: number },
  logger: Logger,
) {
  const collection = db.collection<CaptureDocument>(collectionName);
  const bounded = <Value>(work: Promise<Value>) =>
    withDeadline(work, deadlines.lookUpMs, 'storing a capture');

  return {
    /** Inserts a capture, to be claimed from `dueAtMs` on, unless its chain has one or is excluded. */
    async insertCapture(capture: Capture, trace: TraceCarrier, dueAtMs: number): Promise<void> {
      const work = newWork(dueAtMs);
      try {
        await bounded(collection.insertOne({ _id: capture.chainId, work, capture, trace }));
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },

    /** Excludes the chain from capture and deletes its pending capture. */
    async excludeChain(chainId: string, nowMs: number): Promise<void> {
      const ended = {
        $set: { expireAt: dateOf(nowMs + endedKeptMs) },
        $unset: { work: '', capture: '', trace: '' },
      } as const;
      const write = () => collection.updateOne({ _id: chainId }, ended, { upsert: true });
      await bounded(upsert(write));
    },

    /** Deletes the pending captures of an inventory that is erased: their staged pages are, too. */
    async eraseInventory({ platform_id, app_id, context_id }: InventoryKey): Promise<void> {
      const ofInventory = {
        'capture.scope.platform_id': platform_id,
        'capture.scope.app_id': app_id,
        'capture.scope.context_id': context_id,
      };
      await retryOnce(() => collection.deleteMany(ofInventory));
    },

    pending: createWorkQueue({
      collection,
      documents,
      waitMaxMs: work.captures.again.maxMs,
      toItem({ capture, trace = {} }): PendingCapture {
        invariant(capture !== undefined, 'a pending capture has its fields');
        return { ...capture, trace };
      },
      completed: 'deleted',
      logger,
    }),
  };
}
