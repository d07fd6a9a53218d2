import { priceLeadMs } from '@inventory/contracts/internal/ledger';
import type { Clock } from '@inventory/runtime/clock';
import { type Publication, publicationOf, type WantedPriceList } from './price-list.domain.ts';
import type { PriceListCache } from './price-list-cache.ts';
import type { PriceListStore } from './price-list-store.ts';

export interface PublishPriceListDeps {
  readonly lists: PriceListStore;
  readonly prices: Pick<PriceListCache, 'reload'>;
  readonly clock: Clock;
}

/** Publishes a list once; the version of one that is published finds it. */
export type PublishPriceList = (
  wanted: WantedPriceList,
) => Promise<Exclude<Publication, { readonly result: 'new' }>>;

export function createPublishPriceList(deps: PublishPriceListDeps): PublishPriceList {
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
