import type { InventoryStore } from '../refreshes/inventory-store.ts';
import type { QueuedRefresh, QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import type { PlannedRefresh, ScanStore } from './scan-store.ts';

/**
 * Every queued and collecting refresh, in the memory of the planning replica. Read completely once,
 * then by changes: the cost follows the changes, not the length of the queue.
 */
export interface ScanQueue {
  /** Reads all of them. */
  load(): Promise<void>;
  /** Reads the changes since the last read; true when there were any. */
  update(): Promise<boolean>;
  /** Applies a change made by this replica. */
  put(refresh: PlannedRefresh): void;
  remove(id: string): void;
  get(id: string): PlannedRefresh | undefined;
  snapshot(): Pick<QueueSnapshot, 'queued' | 'scans'>;
  /** Expected pages of an inventory without a recorded scan: the mean of recent scans. */
  readonly typicalPages: number;
}

interface Entry extends PlannedRefresh {
  /** Pages of the last complete scan of its inventory; undefined until they are read. */
  readonly lastPages: number | null | undefined;
}

/** A write may become visible later than its `changedAt`. */
const overlapMs = 500;
const sizesMax = 50;

export function createScanQueue(
  scans: Pick<ScanStore, 'findOpen' | 'findChangedSince'>,
  inventories: Pick<InventoryStore, 'readPageCounts'>,
  assetsPerPage: number,
  typicalPagesFirst: number,
): ScanQueue {
  const entries = new Map<string, Entry>();
  const sizes = createTypicalPages(typicalPagesFirst);
  let changedMs = 0;

  function put(refresh: PlannedRefresh): boolean {
    const { id, phase, reportedTotalCount } = refresh;
    const before = entries.get(id);
    changedMs = Math.max(changedMs, refresh.changedAtMs);
    if (reportedTotalCount !== null && before?.reportedTotalCount === null) {
      sizes.add(pagesOf(reportedTotalCount, assetsPerPage));
    }
    if (phase !== 'queued' && phase !== 'collecting') return entries.delete(id);
    entries.set(id, { ...refresh, lastPages: before?.lastPages });
    return (
      before?.phase !== phase || before.pages !== refresh.pages || before.parked !== refresh.parked
    );
  }

  /** One query for all new entries. */
  async function readSizes(): Promise<void> {
    const fresh = [...entries.values()].filter(({ lastPages }) => lastPages === undefined);
    if (fresh.length === 0) return;
    const counts = await inventories.readPageCounts([
      ...new Set(fresh.map(({ inventory }) => inventory)),
    ]);
    for (const { id, inventory } of fresh) {
      const entry = entries.get(id);
      if (entry) entries.set(id, { ...entry, lastPages: counts.get(inventory) ?? null });
    }
  }

  return {
    async load() {
      const found = await scans.findOpen();
      const ids = new Set(found.map(({ id }) => id));
      for (const id of entries.keys()) if (!ids.has(id)) entries.delete(id);
      for (const refresh of found) put(refresh);
      await readSizes();
    },
    async update() {
      let changed = false;
      for (const refresh of await scans.findChangedSince(changedMs - overlapMs)) {
        changed = put(refresh) || changed;
      }
      await readSizes();
      return changed;
    },
    put,
    remove: (id) => void entries.delete(id),
    get: (id) => entries.get(id),
    snapshot() {
      const all = [...entries.values()];
      const typical = sizes.pages;
      return {
        queued: all.flatMap((entry) => (entry.phase === 'queued' ? toQueued(entry, typical) : [])),
        scans: all.flatMap((entry) =>
          entry.phase === 'collecting' ? toStarted(entry, typical, assetsPerPage) : [],
        ),
      };
    },
    get typicalPages() {
      return sizes.pages;
    },
  };
}

/** The mean size of recent scans. */
function createTypicalPages(first: number): { add(pages: number): void; readonly pages: number } {
  let sizes: number[] = [];
  return {
    add(pages) {
      sizes = [...sizes, pages].slice(-sizesMax);
    },
    get pages() {
      if (sizes.length === 0) return first;
      return Math.ceil(sizes.reduce((sum, pages) => sum + pages, 0) / sizes.length);
    },
  };
}

function pagesOf(totalCount: number, assetsPerPage: number): number {
  return Math.max(1, Math.ceil(totalCount / assetsPerPage));
}

function toQueued(entry: Entry, typicalPages: number): QueuedRefresh {
  const { lastPages } = entry;
  return {
    ...entry,
    pages: lastPages ?? typicalPages,
    isSizeKnown: typeof lastPages === 'number',
  };
}

function toStarted(entry: Entry, typicalPages: number, assetsPerPage: number): StartedScan {
  const { pages, lastPages, reportedTotalCount } = entry;
  return {
    ...entry,
    deadlineMs: entry.collectDeadlineMs ?? 0,
    pagesLeft:
      reportedTotalCount === null
        ? (lastPages ?? typicalPages)
        : Math.max(1, pagesOf(reportedTotalCount, assetsPerPage) - pages),
    isSizeKnown: reportedTotalCount !== null || typeof lastPages === 'number',
  };
}
