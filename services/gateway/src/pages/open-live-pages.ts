import type { ServiceContext } from '@inventory/service-host/service-context';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { PriceVersion } from '../accounts/track-prices.ts';
import type { GatewayConfig } from '../config.ts';
import type { Route } from '../http/route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { KeyedReads } from './keyed-reads.ts';
import type { LivePageClient } from './live-page-client.ts';
import { type Chains, livePageRoute } from './read-live-page-route.ts';
import { v1PageRoute } from './read-v1-page-route.ts';

export interface LivePageParts {
  readonly livePages: LivePageClient;
  readonly reads: KeyedReads;
  readonly chains: Chains;
  readonly ledger: Pick<LedgerClient, 'balance' | 'terms'>;
  readonly prices: Pick<PriceVersion, 'current' | 'list'>;
  readonly cursors: CursorSealer;
}

/** Live Page and both routes of the first version: one page each, read from the platform. */
export function livePageRoutes(
  { config, clock, identifiers }: ServiceContext<GatewayConfig>,
  { livePages, reads, chains, ledger, prices, cursors }: LivePageParts,
): Route[] {
  const { cursorAgeMaxMs } = config.livePages;
  const live = { livePages, reads, prices, funds: { ledger, prices } };
  return [
    livePageRoute({ ...live, chains, cursors, cursorAgeMaxMs, clock, identifiers }),
    v1PageRoute('original', live),
    v1PageRoute('alias', live),
  ];
}
