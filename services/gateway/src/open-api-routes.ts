import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import { createFunds } from './accounts/funds.ts';
import { openAccounts } from './accounts/open-accounts.ts';
import type { PriceVersion } from './accounts/prices.ts';
import type { FindProject } from './accounts/read-usage-route.ts';
import type { Broadcasts } from './commands/open-broadcasts.ts';
import type { RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import { credentialRoutes } from './credentials/credential-routes.ts';
import type { OwnCredentialsTenancy } from './credentials/own-credentials.ts';
import type { TrafficLimiter } from './http/limit-traffic.ts';
import type { BoundPublicRoute } from './http/public-route.ts';
import type { CursorSealer } from './http/sealed-cursor.ts';
import type { ServiceClients } from './open-clients.ts';
import { openPages } from './pages/open-pages.ts';
import { openRefreshes } from './refreshes/open-refreshes.ts';
import { cacheStatus, readStatusRoute } from './status/read-status-route.ts';
import { listEventsRoute } from './streams/list-events-route.ts';
import type { PositionCursors } from './streams/position-cursor.ts';
import { openWatches } from './watches/open-watches.ts';
import type { RunWatchDeps } from './watches/run-watch.ts';
import { webhookDeliveryRoutes } from './webhooks/webhook-delivery-routes.ts';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoint-routes.ts';

export interface ApiRoutesDeps {
  readonly tenancy: OwnCredentialsTenancy & { readonly findProject: FindProject };
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly broadcasts: Broadcasts;
  readonly commands: RequestReplyClient;
  readonly clients: Omit<ServiceClients, 'admission' | 'inventories'>;
  readonly prices: PriceVersion;
  readonly limiter: TrafficLimiter;
  readonly cursors: CursorSealer;
  readonly positions: PositionCursors;
  /** Whether the Project of a watch may have runs. */
  readonly watchStandingOf: RunWatchDeps['standingOf'];
}

/** Opens every feature of the public API but the event stream. */
export function openApiRoutes(
  context: ServiceContext<GatewayConfig>,
  { clients, limiter, positions, tenancy, watchStandingOf, ...shared }: ApiRoutesDeps,
): BoundPublicRoute[] {
  const { ledger, webhooks, collector, eventLog: log } = clients;
  const { cursors } = shared;
  const status = { clock: context.clock, deadlines: context.config.deadlines };
  const funds = createFunds({ ledger, prices: shared.prices });
  return [
    ...openRefreshes(context, { ...shared, collector, funds, limiter }),
    ...openPages(context, { ...shared, ...clients, funds }),
    ...openWatches(context, { ...shared, ...clients, funds, limiter, watchStandingOf }),
    listEventsRoute.bind({ log, cursors: positions }),
    ...[...webhookEndpointRoutes, ...webhookDeliveryRoutes].map((route) =>
      route.bind({ webhooks, cursors }),
    ),
    readStatusRoute.bind({ readStatus: cacheStatus(collector.readStatus, status) }),
    ...openAccounts(context, { ...shared, ledger, findProject: tenancy.findProject }),
    ...credentialRoutes.map((route) => route.bind({ tenancy, cursors, clock: context.clock })),
  ];
}
