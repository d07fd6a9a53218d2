import { refreshId } from '@inventory/contracts/ids';
import { readStoreTime } from '@inventory/mongo/connect';
import { upsert } from '@inventory/mongo/duplicate-key';
import { parseDocument, readEach, readFirst } from '@inventory/mongo/parse-document';
import { createSharedReads, sharedCommands } from '@inventory/mongo/shared-commands';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import { createLeases, freeAt, leaseField } from '@inventory/work/lease';
import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { z } from 'zod';
import { type Denial, denials } from '../egress/page-verdicts.domain.ts';
import type { InventorySize } from '../saga/recorded-scan.domain.ts';

const inventoryScan = z.object({
  refreshId,
  /** Until when it collects; the earliest is taken first. */
  deadlineMs: z.number(),
});

/** One inventory: its scan and the lease of the worker, and its last size. */
const inventory = z.object({
  _id: z.string(),
  /** Present while a scan is started and not ended; one scan at a time. */
  scan: inventoryScan.exactOptional(),
  /** Of the worker that reads it; absent while the scan waits for one. */
  lease: leaseField.exactOptional(),
  /** Pages of its last complete scan, or those that a later scan reported. */
  pages: z.int().exactOptional(),
  /** What was confirmed of it last, by a scan or a live page; absent once a scan has read it. */
  denial: z.object({ kind: z.enum(denials), atMs: z.number() }).exactOptional(),
  /** Of the lease that was opened last. */
  sequence: z.int().exactOptional(),
  /** When that was. */
  seenAt: z.date(),
});
export type InventoryDocument = z.infer<typeof inventory>;
const document = { collection: 'inventories', schema: inventory };

/** The lease of one inventory, without a worker. */
export interface WaitingLease {
  readonly inventory: string;
  readonly refreshId: string;
}

/** One that a worker holds. */
export interface InventoryLease extends WaitingLease {
  /** Differs with every worker. */
  readonly token: string;
}

/** A lease for a scan that collects until its deadline, under a worker's token or none yet. */
export interface NewLease extends WaitingLease {
  readonly token: string | null;
  readonly deadlineMs: number;
}

export type InventoryStore = ReturnType<typeof createInventoryStore>;

const inventoriesPerCommand = 200;
const free = { scan: '', lease: '' } as const;

/**
 * The leases of inventories: which refresh may scan one, and which worker reads it. One document
 * holds both: an inventory never has two scans, and a scan never has two workers.
 */
export function createInventoryStore(
  collection: Collection<InventoryDocument>,
  clock: Clock,
  leaseMs: number,
  logger: Logger,
) {
  const leases = createLeases(collection, leaseMs, 'kept');
  const leaseOf = ({ inventory, token }: InventoryLease) => ({ id: inventory, owner: token });
  const closes = createBatcher<AnyBulkWriteOperation<InventoryDocument>, void>({
    ...sharedCommands,
    itemsMax: inventoriesPerCommand,
    async flush(operations) {
      await collection.bulkWrite([...operations], { ordered: false });
      return operations.map(() => undefined);
    },
  });
  const reads = createSharedReads(collection, inventoriesPerCommand);
  const denialOf = (kind: Denial) => ({ kind, atMs: clock.now() });

  return {
    /**
     * Leases a free inventory to a refresh, under a worker's token or, with null, for any worker to
     * take. Returns the next sequence of the inventory; null while another refresh or a worker holds
     * the lease. A sequence that no scan uses leaves a gap.
     */
    async openLease({ inventory, refreshId, token, deadlineMs }: NewLease): Promise<number | null> {
      const nowMs = clock.now();
      const lease = { id: inventory, owner: token ?? `${refreshId}/${nowMs}` };
      const opened = await leases.acquire(lease, {
        where: { $or: [{ scan: { $exists: false } }, { 'scan.refreshId': refreshId }] },
        set: { scan: { refreshId, deadlineMs }, seenAt: dateOf(nowMs) },
        compute: { sequence: nextSequence(nowMs) },
      });
      if (opened && token === null) await leases.release(lease);
      // Only another holding changes it.
      return opened && (fromDocument(opened).sequence ?? null);
    },
    /** Leases without a worker and expired ones, the earliest deadline of a scan first. */
    async findWaitingLeases(
      limit: number,
    ): Promise<(WaitingLease & { readonly deadlineMs: number })[]> {
      const storeMs = await readStoreTime(collection.db);
      const waiting = collection
        .find({ 'scan.deadlineMs': { $exists: true }, ...freeAt(storeMs) })
        .sort({ 'scan.deadlineMs': 1 });
      return readFirst(waiting, limit, waitingLeaseOf, logger);
    },
    /** Takes a waiting lease; false when another worker was first. */
    async takeLease(lease: InventoryLease): Promise<boolean> {
      const where = { 'scan.refreshId': lease.refreshId };
      return (await leases.acquire(leaseOf(lease), { where, upsert: false })) !== null;
    },
    /** False when the lease is lost: expired and taken, or closed. */
    renewLease: (lease: InventoryLease): Promise<boolean> => leases.renew(leaseOf(lease)),
    /** Lets any worker take the lease at once. */
    releaseLease: (lease: InventoryLease): Promise<void> => leases.release(leaseOf(lease)),
    /** Ends the lease: the inventory is free. Stores what its scan has found out. */
    closeLease(
      { inventory, refreshId }: WaitingLease,
      { pages, denial }: { readonly pages?: number; readonly denial?: Denial } = {},
    ): Promise<void> {
      const filter = { _id: inventory, 'scan.refreshId': refreshId };
      const $set = {
        ...(pages === undefined ? {} : { pages }),
        ...(denial === undefined ? {} : { denial: denialOf(denial) }),
      };
      const $unset = denial === undefined ? ({ ...free, denial: '' } as const) : free;
      const update = { $unset, ...(Object.keys($set).length > 0 && { $set }) };
      return closes.add({ updateOne: { filter, update } });
    },
    async recordDenial(inventory: string, denial: Denial): Promise<void> {
      const $setOnInsert = { seenAt: dateOf(clock.now()) };
      const update = { $set: { denial: denialOf(denial) }, $setOnInsert };
      await upsert(() => collection.updateOne({ _id: inventory }, update, { upsert: true }));
    },
    /** What was confirmed less than so long ago; null where nothing was, or a clock is wrong. */
    async readDenial(inventory: string, keepMs: number): Promise<Denial | null> {
      const found = await reads.add(inventory);
      const [known] = readEach(found ? [found] : [], fromDocument, logger);
      if (!known?.denial) return null;
      const ageMs = clock.now() - known.denial.atMs;
      return ageMs >= 0 && ageMs < keepMs ? known.denial.kind : null;
    },
    /** The refreshes that these inventories are leased to. */
    async findLeasedRefreshes(inventories: readonly string[]): Promise<ReadonlySet<string>> {
      const found = await collection
        .find({ _id: { $in: [...inventories] }, scan: { $exists: true } })
        .toArray();
      const parsed = readEach(found, fromDocument, logger);
      return new Set(parsed.flatMap(({ scan }) => scan?.refreshId ?? []));
    },
    /**
     * Deletes all that is known of an inventory. Its lease alone stays where its scan is under way, unless
     * it is of this refresh, which has ended.
     */
    async forgetInventory(inventory: string, ended: string | null): Promise<void> {
      const unused: Filter<InventoryDocument>[] = [{ scan: { $exists: false } }];
      if (ended !== null) unused.push({ 'scan.refreshId': ended });
      const { deletedCount } = await collection.deleteOne({ _id: inventory, $or: unused });
      if (deletedCount === 1) return;
      const kept = { scan: 1, lease: 1, sequence: 1, seenAt: 1 };
      await collection.updateOne({ _id: inventory }, [{ $project: kept }]);
    },
    /** Null where no scan reported one. */
    async readSize(inventory: string): Promise<InventorySize | null> {
      const found = await reads.add(inventory);
      const { pages, seenAt } = found ? fromDocument(found) : {};
      return pages === undefined || !seenAt ? null : { pages, scannedMs: seenAt.getTime() };
    },
  };
}

const fromDocument = (stored: InventoryDocument) => parseDocument(document, stored);

function waitingLeaseOf(stored: InventoryDocument) {
  const { _id: inventory, scan } = fromDocument(stored);
  return scan ? [{ inventory, ...scan }] : [];
}

/**
 * The position of the scan after this one among those of its inventory, whatever clocks say. It
 * is not less than the time, so that it also grows where the inventory was forgotten or restored.
 */
function nextSequence(nowMs: number) {
  return { $max: [{ $add: ['$sequence', 1] }, nowMs] };
}
