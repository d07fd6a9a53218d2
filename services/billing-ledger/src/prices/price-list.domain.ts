import type { PageProduct } from '@inventory/contracts/vocabulary';

/** Prices of one version, in whole credits; units cost the same numbers. Never changed once in. */
export interface PriceList {
  readonly version: number;
  /** From when on new holds and charges are made under it. */
  readonly effectiveAtMs: number;
  /** Held when a refresh is accepted, and the most it can cost. */
  readonly refreshReservation: number;
  /** Price of one started block of observed assets. */
  readonly refreshBlock: number;
  readonly refreshBlockAssets: number;
  /** Price of a confirmed private or not-found refresh. */
  readonly refreshDiagnostic: number;
  /** The same of a run of a watch that found a change; its blocks are those of a refresh. */
  readonly watchChangedBlock: number;
  /** Of a run that found none, for each block of four times the assets. */
  readonly watchUnchangedBlock: number;
  readonly livePage: number;
  readonly currentPage: number;
}

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
    /** By version, those above the active one: none of them is in effect yet. */
    announcedAt(timeMs: number): readonly PriceList[] {
      const active = activeAt(timeMs);
      return newestFirst.filter(({ version }) => version > active.version).reverse();
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

/** A list to be published; without a date it takes effect as soon as it may. */
export interface WantedPriceList extends Omit<PriceList, 'effectiveAtMs'> {
  readonly effectiveAtMs: number | null;
}

export type Publication =
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
): Publication {
  const published = lists.find(({ version }) => version === wanted.version);
  const nextVersion = Math.max(0, ...lists.map(({ version }) => version)) + 1;
  if (published && isSameList(published, wanted)) return { result: 'published', list: published };
  if (wanted.version !== nextVersion) return { result: 'version_conflict', nextVersion };
  const earliestMs = nowMs + leadMs;
  const effectiveAtMs = wanted.effectiveAtMs ?? earliestMs;
  if (effectiveAtMs < earliestMs) return { result: 'too_early', earliestMs };
  return { result: 'new', list: { ...wanted, effectiveAtMs } };
}

function isSameList(published: PriceList, wanted: WantedPriceList): boolean {
  const { effectiveAtMs, ...prices } = published;
  const isSameDate = wanted.effectiveAtMs === null || wanted.effectiveAtMs === effectiveAtMs;
  const names = Object.keys(prices) as (keyof typeof prices)[];
  return isSameDate && names.every((name) => prices[name] === wanted[name]);
}
