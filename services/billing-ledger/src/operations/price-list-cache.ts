import { createPriceBook, firstPriceList, type PriceBook } from '../domain/price-list.ts';
import type { PriceListStore } from '../storage/price-list-store.ts';

/** The price lists in memory; a new one is known before it takes effect if it is added in time. */
export interface PriceListCache {
  readonly book: PriceBook;
  reload(): Promise<void>;
}

/** Makes sure that there is a first price list, then reads them all. */
export async function openPriceListCache(store: PriceListStore): Promise<PriceListCache> {
  await store.insertPriceList(firstPriceList);
  let book = createPriceBook(await store.listPriceLists());
  return {
    get book() {
      return book;
    },
    async reload() {
      book = createPriceBook(await store.listPriceLists());
    },
  };
}
