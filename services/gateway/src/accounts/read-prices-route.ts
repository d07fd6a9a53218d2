import type { PriceView } from '@inventory/contracts/http/prices';
import type { PriceList } from '@inventory/contracts/internal/ledger';
import { envelope } from '../http/envelope.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { readPricesEndpoint } from './account-endpoints.ts';
import type { LedgerClient } from './ledger-client.ts';

export interface ReadPricesDeps {
  readonly ledger: Pick<LedgerClient, 'prices'>;
}

/** GET /v2/prices: the price list in force. */
export function readPricesRoute({ ledger }: ReadPricesDeps): Route {
  return defineRoute({
    ...readPricesEndpoint,
    async handle({ requestId }) {
      const list = await ledger.prices();
      return { status: 200, body: envelope(toWirePrices(list), { request_id: requestId }) };
    },
  });
}

function toWirePrices(list: PriceList): PriceView {
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
    live_page: { product_code: 'platform.inventory.page.v1', page: list.live_page },
    current_page: { product_code: 'platform.inventory.current.page.v1', page: list.current_page },
  };
}
