import { type Prices, priceView } from '@inventory/contracts/http/prices';
import type { PriceList } from '@inventory/contracts/internal/ledger';
import { unchangedBlocks } from '@inventory/contracts/vocabulary';
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
  answer: {
    status: 200,
    description: 'The price list.',
    data: priceView,
    example: {
      ...toWirePrices({
        version: 1,
        effective_at: '2026-01-01T00:00:00.000Z',
        refresh_reservation: 125,
        refresh_block: 1,
        refresh_block_assets: 2_000,
        refresh_diagnostic: 1,
        watch_changed_block: 1,
        watch_unchanged_block: 1,
        live_page: 1,
        current_page: 1,
      }),
      next: null,
    },
  },
  errors: [],
  async handle({ ledger }: AccountServices) {
    const schedule = await ledger.readPrices();
    const next = nextPrices(schedule);
    return { data: { ...toWirePrices(schedule), next: next && toWirePrices(next) } };
  },
});

function toWirePrices(list: PriceList): Prices {
  return {
    price_version: list.version,
    effective_at: list.effective_at,
    refresh: {
      product_code: 'platform.inventory.refresh.v1',
      reservation: list.refresh_reservation,
      block: list.refresh_block,
      block_assets: list.refresh_block_assets,
      diagnostic: list.refresh_diagnostic,
    },
    watch: {
      product_code: 'platform.inventory.watch.v1',
      reservation: list.refresh_reservation,
      changed_block: list.watch_changed_block,
      changed_block_assets: list.refresh_block_assets,
      unchanged_block: list.watch_unchanged_block,
      unchanged_block_assets: unchangedBlocks * list.refresh_block_assets,
      diagnostic: list.refresh_diagnostic,
    },
    live_page: { product_code: 'platform.inventory.page.v1', page: list.live_page },
    current_page: { product_code: 'platform.inventory.current.page.v1', page: list.current_page },
    changes_page: { product_code: 'platform.inventory.changes.page.v1', page: list.current_page },
  };
}
