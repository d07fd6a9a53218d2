import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import { openAccounts } from './accounts/open-accounts.ts';
import type { ReadUsageDeps } from './accounts/read-usage-route.ts';
import type { PriceVersion } from './accounts/track-prices.ts';
import type { RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import type { PrincipalCache } from './http/authenticate.ts';
import { createRequestLimiter } from './http/limit-requests.ts';
import { createTrafficLimiter } from './http/limit-traffic.ts';
import { createRateWindowStore } from './http/rate-window-store.ts';
import { createCursorSealer } from './http/sealed-cursor.ts';
import { startPublicApi } from './http/start-public-api.ts';
import { unknownKeyRefused } from './metrics.ts';
import type { Broadcasts } from './open-broadcasts.ts';
import type { ServiceClients } from './open-clients.ts';
import { openPages } from './pages/open-pages.ts';
import { publicRoutes } from './public-routes.ts';
import { openRefreshes } from './refreshes/open-refreshes.ts';
import { type EventStreamsDeps, openEventStreams } from './streams/open-event-streams.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

export interface PublicFeaturesDeps {
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly broadcasts: Broadcasts;
  readonly commands: RequestReplyClient;
  readonly clients: Omit<ServiceClients, 'admission' | 'inventories'>;
  readonly tenancy: Pick<ReadUsageDeps, 'findProject'> &
    Pick<EventStreamsDeps, 'findBySecretDigest'> & { readonly principals: PrincipalCache };
  readonly prices: PriceVersion;
}

/** Opens each feature of the public API, then serves all of them. */
export async function openPublicApi(
  context: ServiceContext<GatewayConfig>,
  { clients, tenancy, ...shared }: PublicFeaturesDeps,
): Promise<{ readonly url: string }> {
  const { config, lifetime, clock } = context;
  const { deadlines } = config;
  const { ledger, webhooks } = clients;
  const cursors = createCursorSealer(config.cursorKeys);
  const windows = createRateWindowStore(shared.db, deadlines);
  const limiter = createTrafficLimiter({
    limiter: createRequestLimiter({ windows, clock, deadlines }),
    customerRequestsPerMinute: config.customerRequestsPerMinute,
  });
  const { findProject, findBySecretDigest } = tenancy;
  const log = clients.eventLog;
  const streams = await openEventStreams(context, { ...shared, log, cursors, findBySecretDigest });
  const routes = [
    ...openRefreshes(context, { ...shared, collector: clients.collector, limiter, cursors }),
    ...openPages(context, { ...shared, ...clients, cursors }),
    ...streams.routes,
    ...webhookRoutes.map((route) => route.bind({ webhooks, cursors })),
    ...openAccounts(context, { ...shared, ledger, cursors, findProject }),
  ];
  const { principals } = tenancy;
  const own = { endpoints: publicRoutes, routes, principals, limiter, unknownKeyRefused };
  const serving = { ...shared, ...own };
  const server = await startPublicApi(context, serving);
  // Streams end with a control frame before the server closes the remaining connections.
  lifetime.defer('event streams', () => streams.drain());
  return { url: server.url };
}
