import { scopeKey } from '@inventory/contracts/scope';
import type { Clock } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { QueuedAccount } from '../domain/scan-turns.ts';
import type { Collections, RefreshDocument, StagedPageRecord } from './collections.ts';
import { createInventoryLeases, type InventoryLeases } from './inventory-leases.ts';
import { fromDocument } from './mapping.ts';
import { type StoredRefresh, toStored } from './stored-refresh.ts';

/** A scan in the hands of one worker; every write of it carries the epoch. */
export interface ClaimedScan extends StoredRefresh {
  readonly epoch: number;
  readonly pages: readonly StagedPageRecord[];
}

export interface RunningScan {
  readonly id: string;
  readonly accountId: string;
  readonly pages: number;
  readonly reportedTotalCount: number | null;
  readonly leaseUntilMs: number;
}

/** Claims, leases and page records of scans. */
export interface ScanStore {
  /** All scans that run anywhere, expired leases included. */
  running(): Promise<RunningScan[]>;
  /** Accounts with queued refreshes. */
  queuedAccounts(): Promise<QueuedAccount[]>;
  /** Starts this queued scan; null when it changed or its inventory is being scanned. */
  claim(queued: StoredRefresh): Promise<ClaimedScan | null>;
  /** The oldest queued scans of an account. */
  oldestQueued(accountId: string): Promise<StoredRefresh[]>;
  /** Takes over a scan whose worker let its lease expire; null when somebody else did. */
  takeOver(id: string): Promise<ClaimedScan | null>;
  /** Keeps the leases of a scan; false when it is lost: taken over, cancelled or ended. */
  renew(scan: ClaimedScan): Promise<boolean>;
  /** Lets others scan the inventory, once the scan ended. */
  freeInventory(scan: ClaimedScan): Promise<void>;
  /** Gives a scan up at once, for another worker to take over. */
  letGo(id: string, epoch: number): Promise<void>;
  /** Records a staged page; false when the lease is lost. */
  savePage(
    id: string,
    epoch: number,
    page: StagedPageRecord,
    reportedTotalCount: number,
  ): Promise<boolean>;
}

export interface ScanStoreOptions {
  readonly collections: Pick<Collections, 'refreshes' | 'inventoryLeases'>;
  readonly clock: Clock;
  /** This process; for whoever looks at the documents. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly collectDeadlineMs: number;
}

const claimCandidates = 20;

export function createScanStore(options: ScanStoreOptions): ScanStore {
  const { clock, owner, leaseMs } = options;
  const { refreshes } = options.collections;
  const leaseEnd = () => new Date(clock.now() + leaseMs);
  const inventories = createInventoryLeases(options.collections.inventoryLeases, clock, leaseMs);
  return {
    running: () => findRunning(refreshes),
    queuedAccounts: () => findQueuedAccounts(refreshes),
    claim: (queued) => claim(options, inventories, queued),
    async oldestQueued(accountId) {
      const oldest = await refreshes
        .find({ phase: 'queued', accountId } as object, { projection: { pages: 0 } })
        .sort({ requestedAt: 1 })
        .limit(claimCandidates)
        .toArray();
      return oldest.map(toStored);
    },
    async takeOver(id) {
      const now = new Date(clock.now());
      const expired = { _id: id, phase: 'collecting', 'scan.leaseUntil': { $lte: now } };
      const found = await refreshes.findOne(expired as object);
      if (!found?.scan) return null;
      const scan = {
        ...found.scan,
        epoch: found.scan.epoch + 1,
        owner,
        leaseUntil: leaseEnd(),
      };
      // Whoever claims the same epoch first has it; what the last worker still writes is refused.
      const { modifiedCount } = await refreshes.updateOne(
        { ...expired, version: found.version, 'scan.epoch': found.scan.epoch } as object,
        {
          $set: {
            version: found.version + 1,
            'scan.epoch': scan.epoch,
            'scan.owner': owner,
            'scan.leaseUntil': scan.leaseUntil,
          },
        } as object,
      );
      if (modifiedCount === 0) return null;
      // The pages are read again under the new epoch: the last worker may have added one meanwhile.
      const claimed = await refreshes.findOne({ _id: id, 'scan.epoch': scan.epoch } as object);
      if (!claimed) return null;
      const refresh = fromDocument(claimed);
      return { refresh, trace: claimed.trace, epoch: scan.epoch, pages: claimed.pages ?? [] };
    },
    async renew({ refresh, epoch }) {
      const { matchedCount } = await refreshes.updateOne(
        { _id: refresh.id, phase: 'collecting', 'scan.epoch': epoch } as object,
        { $set: { 'scan.leaseUntil': leaseEnd() } } as object,
      );
      const kept = matchedCount === 1;
      return kept && inventories.take(scopeKey(refresh.scope), refresh.id);
    },
    freeInventory: ({ refresh }) => inventories.free(scopeKey(refresh.scope), refresh.id),
    async letGo(id, epoch) {
      await refreshes.updateOne(
        { _id: id, phase: 'collecting', 'scan.epoch': epoch } as object,
        { $set: { 'scan.leaseUntil': new Date(0) } } as object,
      );
    },
    async savePage(id, epoch, page, reportedTotalCount) {
      const { matchedCount } = await refreshes.updateOne(
        { _id: id, phase: 'collecting', 'scan.epoch': epoch, 'scan.pages': page.page } as object,
        {
          $push: { pages: page },
          $set: {
            'scan.leaseUntil': leaseEnd(),
            'scan.pages': page.page + 1,
            'scan.reportedTotalCount': reportedTotalCount,
          },
        } as object,
      );
      return matchedCount === 1;
    },
  };
}

/** Takes the inventory first: a crash before the scan starts leaves a lease that runs out. */
async function claim(
  { collections, clock, owner, leaseMs, collectDeadlineMs }: ScanStoreOptions,
  inventories: InventoryLeases,
  { refresh, trace }: StoredRefresh,
): Promise<ClaimedScan | null> {
  const inventory = scopeKey(refresh.scope);
  if (!(await inventories.take(inventory, refresh.id))) return null;
  const nowMs = clock.now();
  const scan = { epoch: 1, pages: 0, reportedTotalCount: null };
  const next = {
    version: refresh.version + 1,
    phase: 'collecting',
    collectDeadlineMs: nowMs + collectDeadlineMs,
  } as const;
  const { modifiedCount } = await collections.refreshes.updateOne(
    { _id: refresh.id, version: refresh.version, phase: 'queued' },
    {
      $set: {
        version: next.version,
        phase: next.phase,
        collectDeadline: new Date(next.collectDeadlineMs),
        scan: {
          ...scan,
          owner,
          leaseUntil: new Date(nowMs + leaseMs),
          startedAt: new Date(nowMs),
          completedAt: null,
        },
        pages: [],
      },
    },
  );
  // Not given back: whoever claimed this refresh first holds the lease under the same name.
  if (modifiedCount === 0) return null;
  const started = { ...scan, startedAtMs: nowMs, completedAtMs: null };
  return { refresh: { ...refresh, ...next, scan: started }, trace, epoch: scan.epoch, pages: [] };
}

async function findRunning(refreshes: Collection<RefreshDocument>): Promise<RunningScan[]> {
  const documents = await refreshes
    .find({ phase: 'collecting' } as object, { projection: { accountId: 1, scan: 1 } })
    .toArray();
  return documents.flatMap(({ _id, accountId, scan }) =>
    scan
      ? [
          {
            id: _id,
            accountId,
            pages: scan.pages,
            reportedTotalCount: scan.reportedTotalCount,
            leaseUntilMs: scan.leaseUntil.getTime(),
          },
        ]
      : [],
  );
}

async function findQueuedAccounts(
  refreshes: Collection<RefreshDocument>,
): Promise<QueuedAccount[]> {
  const found = await refreshes
    .aggregate<{ _id: string; oldest: Date; queued: number }>([
      { $match: { phase: 'queued' } },
      { $group: { _id: '$accountId', oldest: { $min: '$queueDeadline' }, queued: { $sum: 1 } } },
    ])
    .toArray();
  return found.map(({ _id, oldest, queued }) => ({
    accountId: _id,
    oldestQueueDeadlineMs: oldest.getTime(),
    queued,
  }));
}
