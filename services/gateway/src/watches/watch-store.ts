import { accountId, type ProjectId, projectId, refreshId, watchId } from '@inventory/contracts/ids';
import {
  type InventoryKey,
  inventoryKey,
  inventoryKeyText,
} from '@inventory/contracts/inventory-key';
import { language } from '@inventory/contracts/languages';
import { refreshOutcome, watchPauseReason } from '@inventory/contracts/vocabulary';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { outboxIndex, pushToOutbox, type WithOutbox } from '@inventory/work/outbox';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue, type Pending } from '@inventory/work/work-queue';
import type { Db, UpdateFilter } from 'mongodb';
import { z } from 'zod';
import type { Watch } from './watch.domain.ts';

export const watchCollection = 'watches';

export const watchIndexes: CollectionIndexes = {
  collection: watchCollection,
  indexes: [workIndex, outboxIndex],
};

const documents = {
  collection: watchCollection,
  schema: z.object({
    /** Project and inventory: an inventory is watched once. */
    _id: z.string(),
    watchId,
    version: z.int(),
    accountId,
    projectId,
    scope: inventoryKey,
    language,
    everySeconds: z.int(),
    maxCreditsPerDay: z.int().nullable(),
    createdAt: z.date(),
    nextRunAt: z.date(),
    pausedReason: watchPauseReason.nullable(),
    run: z
      .object({
        refreshId,
        at: z.date(),
        isOpen: z.boolean(),
        outcome: refreshOutcome.nullable(),
      })
      .nullable(),
    denials: z.int(),
    /** Absent in those that were put before it was kept. */
    assets: z.int().nullable().default(null),
    spent: z.object({ day: z.int(), credits: z.int() }),
    recent: z.object({ runs: z.number(), credits: z.int() }),
    work: workField,
  }),
};
type WatchDocument = z.infer<typeof documents.schema> & WithOutbox;

export interface WatchListPart {
  readonly projectId: ProjectId;
  readonly state: 'active' | 'paused' | undefined;
  /** Place of the last item of the part before. */
  readonly after: string | null;
  readonly limit: number;
}

export function placeOf(projectId: ProjectId, scope: InventoryKey): string {
  return `${projectId}/${inventoryKeyText(scope)}`;
}

/** Every place of a Project is after the first and before the second. */
const rangeOf = (projectId: ProjectId) => ({ $gt: `${projectId}/`, $lt: `${projectId}0` });

export type WatchStore = ReturnType<typeof createWatchStore>;

/** The watches of all Projects. Every write is conditional on what was read. */
export function createWatchStore(db: Db, logger: Pick<Logger, 'error'>) {
  const collection = db.collection<WatchDocument>(watchCollection);
  const asRead = (watch: Watch) => ({
    _id: placeOf(watch.projectId, watch.scope),
    watchId: watch.id,
    version: watch.version,
  });

  return {
    async findWatch(projectId: ProjectId, scope: InventoryKey): Promise<Watch | null> {
      const stored = await collection.findOne({ _id: placeOf(projectId, scope) });
      return stored && toWatch(parseDocument(documents, stored));
    },
    /** By inventory. */
    async listWatches({ projectId, state, after, limit }: WatchListPart): Promise<Watch[]> {
      const _id = { ...rangeOf(projectId), ...(after === null ? {} : { $gt: after }) };
      const ofState =
        state === undefined
          ? {}
          : { pausedReason: state === 'active' ? null : { $ne: null as never } };
      const found = collection
        .find({ _id, ...ofState })
        .sort({ _id: 1 })
        .limit(limit);
      return (await found.toArray()).map((stored) => toWatch(parseDocument(documents, stored)));
    },
    /** At most one more than `max`. */
    countWatches: (projectId: ProjectId, max: number): Promise<number> =>
      collection.countDocuments({ _id: rangeOf(projectId) }, { limit: max + 1 }),
    /** False when the inventory is watched already. */
    async insertWatch(watch: Watch): Promise<boolean> {
      try {
        const work = newWork(watch.nextRunAtMs);
        await collection.insertOne({ ...toFields(watch), ...asRead(watch), work });
        return true;
      } catch (error) {
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    /** False when it changed meanwhile, by its turn too. */
    async changeWatch(read: Watch, changed: Watch): Promise<boolean> {
      // A turn that is under way ends by a write of what it read: it is repeated.
      const isDue = changed.nextRunAtMs === read.nextRunAtMs;
      const work = isDue ? {} : { work: newWork(changed.nextRunAtMs) };
      const { modifiedCount } = await collection.updateOne(asRead(read), {
        $set: { ...toFields(changed), version: read.version + 1, ...work },
      });
      return modifiedCount === 1;
    },
    /** False when it changed meanwhile, by its turn too. */
    async withdrawWatch(inserted: Watch): Promise<boolean> {
      return (await collection.deleteOne(asRead(inserted))).deletedCount === 1;
    },
    /** Null when there is none. */
    async deleteWatch(projectId: ProjectId, scope: InventoryKey): Promise<Watch | null> {
      const stored = await collection.findOneAndDelete({ _id: placeOf(projectId, scope) });
      return stored && toWatch(parseDocument(documents, stored));
    },
    /** Ends a turn with one write, its messages in it; false when the watch changed meanwhile. */
    async endTurn(
      { item: read, dueAtMs, tries }: Pending<Watch>,
      next: Watch,
      messages: readonly OutgoingMessage[],
      nowMs: number,
    ): Promise<boolean> {
      const outbox = messages.length === 0 ? {} : pushToOutbox(messages, nowMs);
      const update = {
        $set: {
          ...toFields(next),
          version: read.version + 1,
          work: newWork(next.nextRunAtMs),
        },
        ...outbox,
      } as UpdateFilter<WatchDocument>;
      const claim = { 'work.dueAt': dateOf(dueAtMs), 'work.tries': tries };
      const { modifiedCount } = await collection.updateOne({ ...asRead(read), ...claim }, update);
      return modifiedCount === 1;
    },
    turns: createWorkQueue<WatchDocument, z.infer<typeof documents.schema>, Watch>({
      collection,
      documents,
      keyField: 'projectId',
      projection: { outbox: 0 },
      toItem: toWatch,
      completed: 'deleted',
      logger,
    }),
  };
}

function toFields(watch: Watch) {
  const { createdAtMs, nextRunAtMs, run, id: watchIdOf, ...fields } = watch;
  return {
    ...fields,
    watchId: watchIdOf,
    createdAt: dateOf(createdAtMs),
    nextRunAt: dateOf(nextRunAtMs),
    run: run && {
      refreshId: run.refreshId,
      at: dateOf(run.atMs),
      isOpen: run.isOpen,
      outcome: run.outcome,
    },
  };
}

function toWatch(document: z.infer<typeof documents.schema>): Watch {
  const { _id, work: _work, watchId: id, createdAt, nextRunAt, run, ...fields } = document;
  return {
    ...fields,
    id,
    createdAtMs: createdAt.getTime(),
    nextRunAtMs: nextRunAt.getTime(),
    run: run && {
      refreshId: run.refreshId,
      atMs: run.at.getTime(),
      isOpen: run.isOpen,
      outcome: run.outcome,
    },
  };
}
