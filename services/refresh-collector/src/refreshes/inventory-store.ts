import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { TypedCollection } from '@inventory/mongo/typed-collection';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import type { InventoryDocument } from '../collections.ts';

/** The lease of one inventory in the hands of one worker. */
export interface InventoryLease {
  readonly inventory: string;
  readonly refreshId: string;
  /** Differs with every worker. */
  readonly token: string;
}

/** A lease that waits for a worker. */
export type WaitingLease = Pick<InventoryLease, 'inventory' | 'refreshId'>;

/**
 * Which refresh may scan an inventory, and which worker reads it. One document per inventory holds
 * both under one expiry: an inventory never has two scans, and a scan never has two workers.
 */
export interface InventoryStore {
  /**
   * Gives a free inventory to a refresh, under a worker's token or for any worker to take; false
   * while another refresh or a worker has it.
   */
  open(lease: WaitingLease & { readonly token: string | null }): Promise<boolean>;
  /** Leases without a worker and those that a worker let expire, oldest first. */
  waiting(limit: number): Promise<WaitingLease[]>;
  /** Takes a waiting lease; false when another worker was first. */
  take(lease: InventoryLease): Promise<boolean>;
  /** False when it is lost: expired and taken, or closed. */
  renew(lease: InventoryLease): Promise<boolean>;
  /** Leaves the scan to any worker at once. */
  letGo(lease: InventoryLease): Promise<void>;
  /** The refresh does not need the inventory any more. */
  close(lease: WaitingLease): Promise<void>;
  /** The same after a complete scan of this many pages. */
  closeComplete(lease: WaitingLease, pages: number): Promise<void>;
  /** Refreshes that have a lease among those of these inventories. */
  leasedTo(inventories: readonly string[]): Promise<ReadonlySet<string>>;
  /** Pages of the last complete scan of each of these inventories, where there was one. */
  pagesOf(inventories: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

const anyTime = dateOf(0);

export function createInventoryStore(
  collection: TypedCollection<InventoryDocument>,
  clock: Clock,
  leaseMs: number,
): InventoryStore {
  const leaseEnd = () => dateOf(clock.now() + leaseMs);
  const heldBy = ({ inventory, refreshId, token }: InventoryLease) => ({
    _id: inventory,
    'scan.refreshId': refreshId,
    'scan.token': token,
  });

  return {
    async open({ inventory, refreshId, token }) {
      const now = dateOf(clock.now());
      const scan = { refreshId, token, leaseUntil: token === null ? anyTime : leaseEnd() };
      const free = [
        { scan: { $exists: false } },
        { 'scan.refreshId': refreshId, 'scan.leaseUntil': { $lte: now } },
      ];
      try {
        await collection.updateOne(
          { _id: inventory, $or: free },
          { $set: { scan, seenAt: now } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // The upsert met the document that the filter did not match: another refresh has it.
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    async waiting(limit) {
      const found = await collection
        .find({ 'scan.leaseUntil': { $lte: dateOf(clock.now()) } })
        .sort({ 'scan.leaseUntil': 1 })
        .limit(limit)
        .toArray();
      return found.flatMap(({ _id: inventory, scan }) =>
        scan ? [{ inventory, refreshId: scan.refreshId }] : [],
      );
    },
    async take({ inventory, refreshId, token }) {
      const now = dateOf(clock.now());
      const { modifiedCount } = await collection.updateOne(
        { _id: inventory, 'scan.refreshId': refreshId, 'scan.leaseUntil': { $lte: now } },
        { $set: { 'scan.token': token, 'scan.leaseUntil': leaseEnd() } },
      );
      return modifiedCount === 1;
    },
    async renew(lease) {
      const $set = { 'scan.leaseUntil': leaseEnd() };
      return (await collection.updateOne(heldBy(lease), { $set })).matchedCount === 1;
    },
    async letGo(lease) {
      await collection.updateOne(heldBy(lease), { $set: { 'scan.leaseUntil': anyTime } });
    },
    async close({ inventory, refreshId }) {
      await collection.updateOne(
        { _id: inventory, 'scan.refreshId': refreshId },
        { $unset: { scan: '' } },
      );
    },
    async closeComplete({ inventory, refreshId }, pages) {
      await collection.updateOne(
        { _id: inventory, 'scan.refreshId': refreshId },
        { $unset: { scan: '' }, $set: { pages } },
      );
    },
    async leasedTo(inventories) {
      const found = await collection
        .find({ _id: { $in: [...inventories] }, scan: { $exists: true } })
        .toArray();
      return new Set(found.flatMap(({ scan }) => scan?.refreshId ?? []));
    },
    async pagesOf(inventories) {
      const found = await collection
        .find({ _id: { $in: [...inventories] }, pages: { $exists: true } })
        .toArray();
      return new Map(found.map(({ _id, pages = 1 }) => [_id, pages]));
    },
  };
}
