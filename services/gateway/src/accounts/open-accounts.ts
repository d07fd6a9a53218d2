import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { HttpConfig } from '../http/http-config.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { RefreshConfig } from '../refreshes/refresh-config.ts';
import type { LedgerClient } from './ledger-client.ts';
import { readAccountRoute } from './read-account-route.ts';
import { readPricesRoute } from './read-prices-route.ts';
import { readStatementRoute } from './read-statement-route.ts';
import { type FindProject, readUsageRoute } from './read-usage-route.ts';
import { setBalanceAlertRoute } from './set-balance-alert-route.ts';

/** What an account has, pays and was charged. */
export function openAccounts(
  {
    config,
    clock,
    logger,
  }: ServiceContext<
    ServiceConfig &
      Pick<HttpConfig, 'customerRequestsPerMinute'> &
      Pick<RefreshConfig, 'decisionTimeoutMs'>
  >,
  {
    commands,
    ledger,
    cursors,
    findProject,
  }: {
    readonly findProject: FindProject;
    readonly commands: RequestReplyClient;
    readonly ledger: LedgerClient;
    readonly cursors: CursorSealer;
  },
): BoundPublicRoute[] {
  const { customerRequestsPerMinute, decisionTimeoutMs } = config;
  return [
    readAccountRoute.bind({ ledger, customerRequestsPerMinute }),
    readStatementRoute.bind({ ledger, cursors }),
    readUsageRoute.bind({ ledger, findProject, clock }),
    setBalanceAlertRoute.bind({ commands, logger, decisionTimeoutMs }),
    readPricesRoute.bind({ ledger }),
  ];
}
