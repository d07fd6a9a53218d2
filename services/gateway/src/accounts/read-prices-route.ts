import { priceView } from '@inventory/contracts/http/prices';
import type { PriceList } from '@inventory/contracts/messages/price-list';
import { unchangedBlocks } from '@inventory/contracts/vocabulary';
import { z } from 'zod';
import { dataRoute } from '../http/data-route.ts';
import type { AccountServices } from './account-services.ts';
import { nextPrices } from './prices.ts';

/** GET /v2/prices: the price list in force, and the next one. */
export const readPricesRoute = dataRoute({
  operationId: 'readPrices',
  tag: 'Account',
  summary: 'Prices',
  description:
    'The price list in force, in credits, and the announced one that takes effect next. ' +
    'Subscription units cost the same numbers. A refresh is settled by the list under which it ' +
    'was accepted.',
  method: 'GET',
  template: '/v2/prices',
  input: {},
  response: {
    status: 200,
    description: 'The price list.',
    data: priceView,
    example: z.encode(priceView, {
      ...pricesOf({
        version: 1,
        effectiveAtMs: Date.UTC(2026, 0, 1),
        refreshReservation: 125,
        refreshBlock: 1,
        refreshBlockAssets: 2_000,
        refreshDiagnostic: 1,
        watchChangedBlock: 1,
        watchUnchangedBlock: 1,
        livePage: 1,
        currentPage: 1,
      }),
      next: null,
    }),
  },
  errors: [],
  async handle({ ledger }: AccountServices) {
    const schedule = await ledger.readPrices();
    const next = nextPrices(schedule);
    return { data: { ...pricesOf(schedule), next: next && pricesOf(next) } };
  },
});

/** What customers read of a list: by product. */
type PricesOfList = NonNullable<z.output<typeof priceView>['next']>;

function pricesOf(list: PriceList): PricesOfList {
  const { refreshReservation: reservation, refreshDiagnostic: diagnostic } = list;
  const { refreshBlockAssets: blockAssets, currentPage: page } = list;
  return {
    priceVersion: list.version,
    effectiveAtMs: list.effectiveAtMs,
    refresh: {
      productCode: 'platform.inventory.refresh.v1',
      reservation,
      block: list.refreshBlock,
      blockAssets,
      diagnostic,
    },
    watch: {
      productCode: 'platform.inventory.watch.v1',
      reservation,
      changedBlock: list.watchChangedBlock,
      changedBlockAssets: blockAssets,
      unchangedBlock: list.watchUnchangedBlock,
      unchangedBlockAssets: unchangedBlocks * blockAssets,
      diagnostic,
    },
    livePage: { productCode: 'platform.inventory.page.v1', page: list.livePage },
    currentPage: { productCode: 'platform.inventory.current.page.v1', page },
    changesPage: { productCode: 'platform.inventory.changes.page.v1', page },
  };
}
