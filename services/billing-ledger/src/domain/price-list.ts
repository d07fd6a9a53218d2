import type { ProductCode } from '@inventory/contracts/vocabulary';

/** Prices of one version, in whole credits; units cost the same numbers. Never changed once in. */
export interface PriceList {
  readonly version: number;
  /** Milliseconds since the epoch from which new holds and charges are made under it. */
  readonly effectiveAt: number;
  /** Held when a refresh is accepted, and the most it can cost. */
  readonly refreshReservation: number;
  /** Price of one started block of observed assets. */
  readonly refreshBlock: number;
  readonly refreshBlockAssets: number;
  /** Price of a confirmed private or not-found refresh. */
  readonly refreshDiagnostic: number;
  readonly livePage: number;
  readonly currentPage: number;
}

/** The list every ledger begins with. */
export const firstPriceList: PriceList = {
  version: 1,
  effectiveAt: Date.UTC(2026, 0, 1),
  refreshReservation: 125,
  refreshBlock: 1,
  refreshBlockAssets: 2000,
  refreshDiagnostic: 1,
  livePage: 1,
  currentPage: 1,
};

/** All known price lists. */
export interface PriceBook {
  /** The highest version that is in effect at a time. */
  activeAt(timeMs: number): PriceList;
  byVersion(version: number): PriceList | undefined;
}

/** `lists` must not be empty. */
export function createPriceBook(lists: readonly PriceList[]): PriceBook {
  const newestFirst = lists.toSorted((left, right) => right.version - left.version);
  const byVersion = new Map(lists.map((list) => [list.version, list]));
  const oldest = newestFirst.at(-1);
  if (oldest === undefined) throw new RangeError('a price book needs a price list');
  return {
    activeAt: (timeMs) => newestFirst.find((list) => list.effectiveAt <= timeMs) ?? oldest,
    byVersion: (version) => byVersion.get(version),
  };
}

export type PageProduct = Exclude<ProductCode, 'platform.inventory.refresh.v1'>;

export function pagePrice(prices: PriceList, product: PageProduct): number {
  switch (product) {
    case 'platform.inventory.page.v1':
      return prices.livePage;
    case 'platform.inventory.current.page.v1':
      return prices.currentPage;
  }
}
