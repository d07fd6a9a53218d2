import type { InventoryStore } from '../refreshes/inventory-store.ts';
import type { QueuedRefresh, QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import type { PlannedRefresh, ScanStore } from './scan-store.ts';

/**
 * Every queued and collecting refresh, in the memory of the planning replica. Read whole once, then
 * by what changed: its cost follows what happens, not what waits.
 */
export interface ScanQueue {
  /** Reads everything anew. */
  load(): Promise<void>;
  /** Reads what changed since the last time; true when anything did. */
  update(): Promise<boolean>;
  /** A change that this replica made or saw itself. */
  put(refresh: PlannedRefresh): void;
  remove(id: string): void;
  get(id: string): PlannedRefresh | undefined;
  snapshot(): Pick<QueueSnapshot, 'queued' | 'scans'>;
  /** Pages of an inventory without a saved observation, by what scans lately turned out to have. */
  readonly typicalPages: number;
}

interface Entry extends PlannedRefresh {
  /** Pages of the last complete scan of its inventory; undefined until looked up. */
  readonly pagesKnown: number | null | undefined;
}

/** Writes of one moment may become visible a little later than their time says. */
const overlapMs = 500;
const sizesKept = 50;

export function createScanQueue(
  scans: Pick<ScanStore, 'open' | 'changedSince'>,
  inventories: Pick<InventoryStore, 'pagesOf'>,
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
    entries.set(id, { ...refresh, pagesKnown: before?.pagesKnown });
    return (
      before?.phase !== phase || before.pages !== refresh.pages || before.parked !== refresh.parked
    );
  }

  /** One query for all that are new. */
  async function lookUpSizes(): Promise<void> {
    const fresh = [...entries.values()].filter(({ pagesKnown }) => pagesKnown === undefined);
    if (fresh.length === 0) return;
    const known = await inventories.pagesOf([...new Set(fresh.map(({ inventory }) => inventory))]);
    for (const { id, inventory } of fresh) {
      const entry = entries.get(id);
      if (entry) entries.set(id, { ...entry, pagesKnown: known.get(inventory) ?? null });
    }
  }

  return {
    async load() {
      const found = await scans.open();
      const ids = new Set(found.map(({ id }) => id));
      for (const id of entries.keys()) if (!ids.has(id)) entries.delete(id);
      for (const refresh of found) put(refresh);
      await lookUpSizes();
    },
    async update() {
      let changed = false;
      for (const refresh of await scans.changedSince(changedMs - overlapMs)) {
        changed = put(refresh) || changed;
      }
      await lookUpSizes();
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

/** The mean of what scans lately turned out to have. */
function createTypicalPages(first: number): { add(pages: number): void; readonly pages: number } {
  let sizes: number[] = [];
  return {
    add(pages) {
      sizes = [...sizes, pages].slice(-sizesKept);
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
  const { pagesKnown } = entry;
  return {
    ...entry,
    pages: pagesKnown ?? typicalPages,
    isSizeKnown: typeof pagesKnown === 'number',
  };
}

function toStarted(entry: Entry, typicalPages: number, assetsPerPage: number): StartedScan {
  const { pages, pagesKnown, reportedTotalCount } = entry;
  return {
    ...entry,
    deadlineMs: entry.collectDeadlineMs ?? 0,
    pagesLeft:
      reportedTotalCount === null
        ? (pagesKnown ?? typicalPages)
        : Math.max(1, pagesOf(reportedTotalCount, assetsPerPage) - pages),
    isSizeKnown: reportedTotalCount !== null || typeof pagesKnown === 'number',
  };
}
