import { priceLeadMs } from '@inventory/contracts/internal/ledger';
import type { Clock } from '@inventory/runtime/clock';
import {
  createPriceBook,
  firstPriceList,
  type PriceBook,
  type PricePublication,
  publicationOf,
  type WantedPriceList,
} from './price-list.domain.ts';
import type { PriceListStore } from './price-list-store.ts';

/** The price lists in memory. */
export type PriceListCache = Awaited<ReturnType<typeof openPriceListCache>>;

/**
 * Every list in effect was published before this: half of the lead, so that clocks may differ and
 * a publication may take its time.
 */
const ageMaxMs = priceLeadMs / 2;

/** Makes sure that there is a first price list, then reads them all. */
export async function openPriceListCache(store: PriceListStore, clock: Clock) {
  await store.insertPriceList(firstPriceList);
  let readAtMs = clock.now();
  let book = createPriceBook(await store.listPriceLists());
  async function reload(): Promise<void> {
    const startMs = clock.now();
    book = createPriceBook(await store.listPriceLists());
    readAtMs = startMs;
  }
  return {
    get book(): PriceBook {
      return book;
    },
    reload,
    /** Reads the lists again where one in effect now may be missing. */
    async reloadIfOld(): Promise<void> {
      if (Math.abs(clock.now() - readAtMs) > ageMaxMs) await reload();
    },
  };
}

/** Publishes a list once; the version of one that is published finds it. */
export type PublishPriceList = (
  wanted: WantedPriceList,
) => Promise<Exclude<PricePublication, { readonly result: 'new' }>>;

export function createPublishPriceList(deps: {
  readonly lists: PriceListStore;
  readonly prices: PriceListCache;
  readonly clock: Clock;
}): PublishPriceList {
  const { lists, prices, clock } = deps;
  return async function publish(wanted) {
    const now = { nowMs: clock.now(), leadMs: priceLeadMs };
    const publication = publicationOf(await lists.listPriceLists(), wanted, now);
    if (publication.result !== 'new') return publication;
    const { list } = publication;
    // Another call was first: its list is found now.
    if (!(await lists.insertPriceList(list))) return publish(wanted);
    await prices.reload();
    return { result: 'published', list };
  };
}
