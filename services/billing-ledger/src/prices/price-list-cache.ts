import { priceLeadMs } from '@inventory/contracts/internal/ledger';
import type { Clock } from '@inventory/runtime/clock';
import { createPriceBook, firstPriceList, type PriceBook } from './price-list.domain.ts';
import type { PriceListStore } from './price-list-store.ts';

/** The price lists in memory. */
export interface PriceListCache {
  readonly book: PriceBook;
  reload(): Promise<void>;
  /** Reads the lists again where one in effect now may be missing. */
  reloadIfOld(): Promise<void>;
}

/**
 * Every list in effect was published before this: half of the lead, so that clocks may differ and
 * a publication may take its time.
 */
const ageMaxMs = priceLeadMs / 2;

/** Makes sure that there is a first price list, then reads them all. */
export async function openPriceListCache(
  store: PriceListStore,
  clock: Clock,
): Promise<PriceListCache> {
  await store.insertPriceList(firstPriceList);
  let readAtMs = clock.now();
  let book = createPriceBook(await store.listPriceLists());
  async function reload(): Promise<void> {
    const startMs = clock.now();
    book = createPriceBook(await store.listPriceLists());
    readAtMs = startMs;
  }
  return {
    get book() {
      return book;
    },
    reload,
    async reloadIfOld() {
      if (Math.abs(clock.now() - readAtMs) > ageMaxMs) await reload();
    },
  };
}
