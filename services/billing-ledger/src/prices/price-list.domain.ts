import type {
  NewPriceList,
  PriceList,
  PriceSchedule,
} from '@inventory/contracts/messages/price-list';
import type { PageProduct } from '@inventory/contracts/vocabulary';

/** The list every ledger begins with. */
export const firstPriceList: PriceList = {
  version: 1,
  effectiveAtMs: Date.UTC(2026, 0, 1),
  refreshReservation: 125,
  refreshBlock: 1,
  refreshBlockAssets: 2000,
  refreshDiagnostic: 1,
  watchChangedBlock: 1,
  watchUnchangedBlock: 1,
  livePage: 1,
  currentPage: 1,
};

/** All known price lists. */
export type PriceBook = ReturnType<typeof createPriceBook>;

/** `lists` must not be empty. */
export function createPriceBook(lists: readonly PriceList[]) {
  const newestFirst = lists.toSorted((left, right) => right.version - left.version);
  const byVersion = new Map(lists.map((list) => [list.version, list]));
  const oldest = newestFirst.at(-1);
  if (oldest === undefined) throw new RangeError('a price book needs a price list');
  const activeAt = (timeMs: number) =>
    newestFirst.find((list) => list.effectiveAtMs <= timeMs) ?? oldest;
  return {
    all: newestFirst,
    /** The highest version that is in effect at a time. */
    activeAt,
    /** The active one, and by version those above it: none of them is in effect yet. */
    scheduleAt(timeMs: number): PriceSchedule {
      const active = activeAt(timeMs);
      const announced = newestFirst.filter(({ version }) => version > active.version).reverse();
      return { ...active, announced };
    },
    byVersion: (version: number): PriceList | undefined => byVersion.get(version),
  };
}

/** Clocks of brokers and of the ledger differ by less. */
const aheadMaxMs = 5_000;
/** A topic of commands keeps its records for 30 days, and removes them by whole segments. */
const ageMaxMs = 60 * 86_400_000;

/**
 * The time whose list a purchase has: when its command was sent, so that a replay has the same one;
 * where that is not possible, the time of its entry.
 */
export function priceTime(sentAt: number, at: number): number {
  return sentAt <= at + aheadMaxMs && sentAt >= at - ageMaxMs ? sentAt : at;
}

export function pagePrice(prices: PriceList, product: PageProduct): number {
  switch (product) {
    case 'platform.inventory.page.v1':
      return prices.livePage;
    case 'platform.inventory.current.page.v1':
    case 'platform.inventory.changes.page.v1':
      return prices.currentPage;
  }
}

/** What is to be published under the next version. */
export interface WantedPriceList extends NewPriceList {
  readonly version: number;
}

export type PricePublication =
  | { readonly result: 'new' | 'published'; readonly list: PriceList }
  | { readonly result: 'version_conflict'; readonly nextVersion: number }
  | { readonly result: 'too_early'; readonly earliestMs: number };

/**
 * Whether a list may be published now, `leadMs` before it takes effect. The same list again is
 * `published`: it stays as it is, its date too.
 */
export function publicationOf(
  lists: readonly PriceList[],
  wanted: WantedPriceList,
  { nowMs, leadMs }: { readonly nowMs: number; readonly leadMs: number },
): PricePublication {
  const published = lists.find(({ version }) => version === wanted.version);
  const nextVersion = Math.max(0, ...lists.map(({ version }) => version)) + 1;
  const earliestMs = nowMs + leadMs;
  const list = {
    ...wanted,
    effectiveAtMs: wanted.effectiveAtMs ?? published?.effectiveAtMs ?? earliestMs,
    watchChangedBlock: wanted.watchChangedBlock ?? wanted.refreshBlock,
    watchUnchangedBlock: wanted.watchUnchangedBlock ?? wanted.refreshBlock,
  };
  if (published && isSameList(published, list)) return { result: 'published', list: published };
  if (list.version !== nextVersion) return { result: 'version_conflict', nextVersion };
  if (list.effectiveAtMs < earliestMs) return { result: 'too_early', earliestMs };
  return { result: 'new', list };
}

function isSameList(left: PriceList, right: PriceList): boolean {
  const names = Object.keys(left) as (keyof PriceList)[];
  return names.every((name) => left[name] === right[name]);
}
