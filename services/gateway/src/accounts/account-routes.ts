import type { Route } from '../http/route.ts';
import type { LedgerClient } from './ledger-client.ts';
import { readAccountRoute } from './read-account-route.ts';
import { readPricesRoute } from './read-prices-route.ts';
import { type ReadStatementDeps, readStatementRoute } from './read-statement-route.ts';
import { type ReadUsageDeps, readUsageRoute } from './read-usage-route.ts';
import type { SetBalanceAlertDeps } from './set-balance-alert.ts';
import { setBalanceAlertRoute } from './set-balance-alert-route.ts';

export interface AccountRoutesDeps extends ReadStatementDeps, ReadUsageDeps, SetBalanceAlertDeps {
  readonly ledger: LedgerClient;
}

/** Balance, statement, usage, alert and prices. */
export function accountRoutes(deps: AccountRoutesDeps): Route[] {
  return [
    readAccountRoute(deps),
    readStatementRoute(deps),
    readUsageRoute(deps),
    setBalanceAlertRoute(deps),
    readPricesRoute(deps),
  ];
}
