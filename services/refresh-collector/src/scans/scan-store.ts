import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { TypedCollection, TypedFilter } from '@inventory/mongo/typed-collection';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Sort } from 'mongodb';
import type { ScanSize } from '../saga/recorded-scan.domain.ts';
import type { Refresh, RefreshPhase, ScanSummary } from '../saga/refresh.domain.ts';
import {
  type PlannedRefreshDocument,
  plannedRefreshDocument,
  type RefreshDocument,
  refreshIn,
  type StagedPageRecord,
  stagedPagesIn,
} from '../saga/refresh-document.ts';

/** A scan claimed by one worker; every write of it carries the epoch. */
export interface ClaimedScan {
  readonly refresh: Refresh;
  readonly epoch: number;
  readonly pages: readonly StagedPageRecord[];
  /** While its start is being written; null where it was not started. */
  readonly starting?: Promise<Refresh | null>;
  /** The epoch of the inventory, read before this worker reads a page. */
  readonly inventoryEpoch?: string;
}

/** The fields of a refresh that planning needs. */
export interface PlannedRefresh extends ScanSize {
  readonly id: string;
  /** Grows with every change. */
  readonly version: number;
  readonly accountId: string;
  readonly inventory: string;
  readonly appId: number;
  readonly phase: RefreshPhase;
  readonly queueDeadlineMs: number;
  readonly collectDeadlineMs: number | null;
  /** Pages that its inventory was known to have when it was requested or started; null where unknown. */
  readonly expectedPages: number | null;
  /** Set where an observation may be taken instead of a scan. */
  readonly maxAgeSeconds?: number | undefined;
  /** A run of a watch: everything else is before it. */
  readonly isWatch?: boolean;
  readonly parked: boolean;
  readonly changedAtMs: number;
}

type Batches = AsyncIterable<readonly PlannedRefresh[]>;

export type ScanStore = ReturnType<typeof createScanStore>;

type PlannedField = Exclude<keyof PlannedRefreshDocument, '_id' | 'changedAt'>;
const plannedFields: Record<Exclude<keyof PlannedRefreshDocument, '_id'>, 1> = {
  version: 1,
  accountId: 1,
  scope: 1,
  phase: 1,
  queueDeadlineMs: 1,
  collectDeadlineMs: 1,
  expectedPages: 1,
  freshness: 1,
  watchId: 1,
  scan: 1,
  changedAt: 1,
};

/** However many there are, this many are in memory beside those that are kept. */
const batchMax = 500;

/** Reads scans for planning and workers; they are written with their refresh. */
export function createScanStore(
  refreshes: TypedCollection<RefreshDocument>,
  readTime: () => Promise<number>,
  logger: Logger,
) {
  async function* readPlanned(filter: TypedFilter<RefreshDocument>, sort: Sort): Batches {
    const found = refreshes
      .find(filter)
      .sort(sort)
      .batchSize(batchMax)
      .project<PlannedRefreshDocument>(plannedFields);
    try {
      while (await found.hasNext()) {
        yield readEach(found.readBufferedDocuments(), toPlanned, logger);
      }
    } finally {
      await found.close();
    }
  }

  return {
    /** The clock of the database, by which changes are found. */
    readTime,
    /** Every refresh that is queued or collecting. */
    readOpen: (): Batches => readPlanned({ phase: { $in: ['queued', 'collecting'] } }, {}),
    /**
     * Refreshes in any phase that changed at this time of the database's clock or later, the earliest
     * change first.
     */
    readChangedSince: (timeMs: number): Batches =>
      readPlanned({ changedAt: { $gte: dateOf(timeMs) } }, { changedAt: 1 }),
    /** The scan of this epoch with its pages; null when it ended or another worker claimed it. */
    async findClaimed(id: string, epoch: number): Promise<ClaimedScan | null> {
      const found = await refreshes.findOne({ _id: id, phase: 'collecting', 'scan.epoch': epoch });
      if (!found) return null;
      return { refresh: refreshIn(found), epoch, pages: stagedPagesIn(found) };
    },
    /** Whether a scan of this inventory has ended and is not saved yet. */
    async isBeingSaved(inventory: string): Promise<boolean> {
      const saving = { phase: 'assembling', scopeKey: inventory } as const;
      return (await refreshes.findOne(saving, { projection: { _id: 1 } })) !== null;
    },
  };
}

/** The planned fields of a refresh that this process wrote, without the database's `changedAt`. */
export function plannedOf(refresh: Refresh): PlannedRefresh {
  return planned(refresh, refresh.refreshId, 0);
}

function toPlanned(stored: PlannedRefreshDocument): PlannedRefresh {
  const document = parseDocument(plannedRefreshDocument, stored);
  return planned(document, document._id, document.changedAt?.getTime() ?? 0);
}

function planned(
  refresh: Pick<Refresh, PlannedField>,
  id: string,
  changedAtMs: number,
): PlannedRefresh {
  const { version, accountId, phase, scope, expectedPages, freshness } = refresh;
  const { queueDeadlineMs, collectDeadlineMs } = refresh;
  return {
    id,
    version,
    accountId,
    phase,
    expectedPages,
    queueDeadlineMs,
    collectDeadlineMs,
    ...sizeOf(refresh.scan),
    inventory: inventoryKeyText(scope),
    appId: scope.app_id,
    maxAgeSeconds: freshness?.maxAgeSeconds,
    isWatch: refresh.watchId !== null,
    changedAtMs,
  };
}

const notStarted = { pages: 0, assetsRead: 0, reportedTotalCount: null, parked: false };

function sizeOf(scan: Pick<ScanSummary, keyof typeof notStarted> | null) {
  const { pages, assetsRead, reportedTotalCount, parked } = scan ?? notStarted;
  return { pages, assetsRead, reportedTotalCount, parked };
}
