import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { TypedCollection, TypedFilter } from '@inventory/mongo/typed-collection';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Sort } from 'mongodb';
import type { Refresh } from '../saga/refresh.domain.ts';
import {
  type ChangedRefresh,
  changedRefreshDocument,
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

type Batches = AsyncIterable<readonly ChangedRefresh[]>;

export type ScanStore = ReturnType<typeof createScanStore>;

const plannedFields = Object.fromEntries(
  Object.keys(changedRefreshDocument.schema.shape).map((field) => [field, 1]),
);
const parseChanged = (stored: ChangedRefresh) => parseDocument(changedRefreshDocument, stored);

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
      .project<ChangedRefresh>(plannedFields);
    try {
      while (await found.hasNext()) {
        yield readEach(found.readBufferedDocuments(), parseChanged, logger);
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
  };
}
