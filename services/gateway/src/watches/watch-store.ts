import { everySecondsMax } from '@inventory/contracts/http/watches';
import type { ProjectId } from '@inventory/contracts/ids';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { parseDocument, readFirst } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import { outboxIndex, pushToOutbox, type WithOutbox } from '@inventory/work/outbox';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue, type Pending, type WorkQueue } from '@inventory/work/work-queue';
import type { Collection, Db, UpdateFilter } from 'mongodb';
import { z } from 'zod';
import { type Watch, watch } from './watch.domain.ts';

export const watchCollection = 'watches';

export const watchIndexes: CollectionIndexes = {
  collection: watchCollection,
  indexes: [
    workIndex,
    outboxIndex,
    {
      name: 'slot_of_project',
      keys: { projectId: 1, slot: 1 },
      options: { unique: true, ...whereExists('slot') },
    },
  ],
};

const documents = {
  collection: watchCollection,
  schema: watch.extend({
    /** Project and inventory: an inventory is watched once. */
    _id: z.string(),
    /** No other watch of the Project has it. Absent in those that were put before there were slots. */
    slot: z.int().exactOptional(),
    work: workField,
  }),
};
type StoredWatch = z.infer<typeof documents.schema>;
type WatchDocument = StoredWatch & WithOutbox;

const watchIn = ({ _id, slot, work, ...fields }: StoredWatch): Watch => fields;

export interface WatchListPage {
  readonly projectId: ProjectId;
  readonly state: 'active' | 'paused' | undefined;
  /** Key of the last item of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

export function watchKeyOf(projectId: ProjectId, scope: InventoryKey): string {
  return `${projectId}/${inventoryKeyText(scope)}`;
}

/** Every key of a Project is after the first and before the second. */
const rangeOf = (projectId: ProjectId) => ({ $gt: `${projectId}/`, $lt: `${projectId}0` });

export type WatchStore = ReturnType<typeof createWatchStore>;

/** The watches of all Projects. Every write is conditional on what was read, its claim included. */
export function createWatchStore(db: Db, deadlines: { readonly storeMs: number }, logger: Logger) {
  const collection = db.collection<WatchDocument>(watchCollection);
  const bounded: Bounded = (work) =>
    withDeadline(work, deadlines.storeMs, 'reading or storing a watch');
  const find = async (projectId: ProjectId, scope: InventoryKey) => {
    const stored = await bounded(collection.findOne({ _id: watchKeyOf(projectId, scope) }));
    return stored && parseDocument(documents, stored);
  };
  const write = async (read: Pending<Watch>, update: UpdateFilter<WatchDocument>) =>
    (await bounded(collection.updateOne(asRead(read), update))).modifiedCount === 1;

  return {
    async findWatch(projectId: ProjectId, scope: InventoryKey): Promise<Watch | null> {
      const stored = await find(projectId, scope);
      return stored && watchIn(stored);
    },
    /** The watch with its due time, which is claimed where it was tried. */
    async findPending(projectId: ProjectId, scope: InventoryKey): Promise<Pending<Watch> | null> {
      const stored = await find(projectId, scope);
      if (stored === null) return null;
      const { _id: id, work } = stored;
      const { dueAtMs, tries, owner: ownerBefore } = work;
      return { id, item: watchIn(stored), dueAtMs, tries, ownerBefore };
    },
    /** By inventory. */
    async listWatches({ projectId, state, after, limit }: WatchListPage): Promise<Watch[]> {
      const _id = { ...rangeOf(projectId), ...(after === null ? {} : { $gt: after }) };
      const ofState =
        state === undefined
          ? {}
          : { pausedReason: state === 'active' ? null : { $ne: null as never } };
      const found = collection.find({ _id, ...ofState }).sort({ _id: 1 });
      const read = (stored: WatchDocument) => [watchIn(parseDocument(documents, stored))];
      return await bounded(readFirst(found, limit, read, logger));
    },
    insertWatch: slotInserts(collection, bounded),
    /** False when it changed or was claimed meanwhile. */
    async changeWatch(read: Pending<Watch>, changed: Watch): Promise<boolean> {
      // A claim is settled by a write of what it read: then it is repeated.
      const isDue = changed.nextRefreshAtMs === read.item.nextRefreshAtMs;
      const work = isDue ? {} : { work: newWork(changed.nextRefreshAtMs) };
      const version = read.item.version + 1;
      return await write(read, { $set: { ...changed, version, ...work } });
    },
    /** Null when there is none. */
    async deleteWatch(projectId: ProjectId, scope: InventoryKey): Promise<Watch | null> {
      const deleted = collection.findOneAndDelete({ _id: watchKeyOf(projectId, scope) });
      const stored = await bounded(deleted);
      return stored && watchIn(parseDocument(documents, stored));
    },
    /** Settles a claim with one write, its messages in it; false when the watch changed meanwhile. */
    async settleClaim(
      claimed: Pending<Watch>,
      next: Watch,
      messages: readonly OutgoingMessage[],
      nowMs: number,
    ): Promise<boolean> {
      const outbox = messages.length === 0 ? {} : pushToOutbox(messages, nowMs);
      const version = claimed.item.version + 1;
      const isSoon = next.nextRefreshAtMs - nowMs <= soonMs;
      const work = newWork(next.nextRefreshAtMs, isSoon ? soon : undefined);
      const $set = { ...next, version, work };
      return await write(claimed, { $set, ...outbox } as UpdateFilter<WatchDocument>);
    },
    queue: openQueue(collection, logger),
  };
}

const soon = 'soon';
const soonMs = 6 * 3_600_000;
/** One that is denied skips what is left of its period, and its time may be late in the next one. */
const dueWaitMaxMs = 2 * everySecondsMax * 1_000;

/**
 * All watches by due time. Those that wait for hours have a queue of their own: what a clock that was
 * ahead made wait much longer is found in it, and not among the watches that do wait for days.
 */
function openQueue(collection: Collection<WatchDocument>, logger: Logger): WorkQueue<Watch> {
  const queueOf = (of: { readonly waitMaxMs: number; readonly queue?: string }) =>
    createWorkQueue<WatchDocument, StoredWatch, Watch>({
      ...of,
      collection,
      documents,
      keyField: 'projectId',
      logger,
      projection: { outbox: 0 },
      toItem: watchIn,
      completed: 'deleted',
    });
  const ofHours = queueOf({ waitMaxMs: soonMs, queue: soon });
  const others = queueOf({ waitMaxMs: dueWaitMaxMs });
  return {
    // A claim is one of its document, whichever queue it is in.
    ...others,
    async findDue(nowMs, limit, exceptKeys) {
      const found = [ofHours, others].map((one) => one.findDue(nowMs, limit, exceptKeys));
      const due = (await Promise.all(found)).flat();
      return due.toSorted((left, right) => left.dueAtMs - right.dueAtMs).slice(0, limit);
    },
  };
}

type Bounded = <Value>(work: Promise<Value>) => Promise<Value>;

function slotInserts(collection: Collection<WatchDocument>, bounded: Bounded) {
  async function tryInsert(watch: Watch, slot: number): Promise<boolean> {
    const _id = watchKeyOf(watch.projectId, watch.scope);
    const work = newWork(watch.nextRefreshAtMs, soon);
    try {
      await bounded(collection.insertOne({ _id, ...watch, slot, work }));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Below this number. */
  const freeSlots = async (projectId: ProjectId, max: number) => {
    const ofProject = { projectId, slot: { $lt: max } };
    const found = collection.find(ofProject, { projection: { _id: 0, slot: 1 } });
    const taken = await bounded(found.toArray());
    const slots = new Set(taken.map(({ slot }) => slot));
    return Array.from({ length: max }, (_, slot) => slot).filter((slot) => !slots.has(slot));
  };

  /**
   * Takes a slot of the Project, which no two of its watches have: however many are put at once, as
   * many are inserted as there are free slots. `conflict`: the inventory is watched, or others took the
   * slot.
   */
  return async function insertWatch(
    watch: Watch,
    slotsMax: number,
  ): Promise<'inserted' | 'conflict' | 'full'> {
    const ofProject = { _id: rangeOf(watch.projectId) };
    const counted = collection.countDocuments(ofProject, { limit: slotsMax });
    if ((await bounded(counted)) >= slotsMax) return 'full';
    // Its tail is random: watches that are put at once rarely try the same slot.
    const tail = Number.parseInt(watch.watchId.slice(-12), 16);
    if (await tryInsert(watch, tail % slotsMax)) return 'inserted';
    const free = await freeSlots(watch.projectId, slotsMax);
    const slot = free[tail % free.length];
    if (slot === undefined) return 'full';
    return (await tryInsert(watch, slot)) ? 'inserted' : 'conflict';
  };
}

/** As it was read, also by its claim: that is a change. */
function asRead({ id: _id, item, dueAtMs, tries }: Pending<Watch>) {
  const claim = { 'work.dueAtMs': dueAtMs, 'work.tries': tries };
  return { _id, watchId: item.watchId, version: item.version, ...claim };
}
