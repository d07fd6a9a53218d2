import type { AccountId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import { createFunds } from './accounts/funds.ts';
import type { PriceVersion } from './accounts/prices.ts';
import { readAccountRoute } from './accounts/read-account-route.ts';
import { readPricesRoute } from './accounts/read-prices-route.ts';
import { readStatementRoute } from './accounts/read-statement-route.ts';
import { type FindProject, readUsageRoute } from './accounts/read-usage-route.ts';
import { setBalanceAlertRoute } from './accounts/set-balance-alert-route.ts';
import { createAuditLines } from './audit-lines.ts';
import type { Broadcasts } from './commands/open-broadcasts.ts';
import type { RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import { credentialRoutes, type OwnCredentialsTenancy } from './credentials/credential-routes.ts';
import type { AuthenticateDeps } from './http/authenticate.ts';
import { createDeliveryPlaces } from './http/delivery-places.ts';
import { createRequestLimiter } from './http/limit-requests.ts';
import { createTrafficLimiter, type TrafficLimiter } from './http/limit-traffic.ts';
import type { BoundPublicRoute } from './http/public-route.ts';
import { createRateWindowStore } from './http/rate-window-store.ts';
import { type CursorSealer, createCursorSealer } from './http/sealed-cursor.ts';
import { startPublicApi } from './http/start-public-api.ts';
import type { ServiceClients } from './open-clients.ts';
import { openPages } from './pages/open-pages.ts';
import { publicRoutes } from './public-routes.ts';
import { openRefreshes } from './refreshes/open-refreshes.ts';
import { cacheStatus, readStatusRoute } from './status/read-status-route.ts';
import { listEventsRoute } from './streams/list-events-route.ts';
import { type EventStreamsParts, openEventStreams } from './streams/open-event-streams.ts';
import { createPositionCursors, type PositionCursors } from './streams/position-cursor.ts';
import { openWatches } from './watches/open-watches.ts';
import type { RunWatchDeps } from './watches/run-watch.ts';
import { webhookDeliveryRoutes } from './webhooks/webhook-delivery-routes.ts';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoint-routes.ts';

type Context = ServiceContext<GatewayConfig>;

export interface PublicFeaturesDeps {
  readonly tenancy: OwnCredentialsTenancy & { readonly findProject: FindProject } & Pick<
      EventStreamsParts,
      'findBySecretDigest'
    > &
    Pick<AuthenticateDeps, 'principals'>;
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly broadcasts: Broadcasts;
  readonly commands: RequestReplyClient;
  readonly clients: ServiceClients;
  readonly prices: PriceVersion;
  /** Whether the Project of a watch may have runs. */
  readonly watchStandingOf: RunWatchDeps['standingOf'];
}

/** Opens the features of the public API that the role of this process serves, then serves them. */
export async function openPublicApi(
  context: Context,
  features: PublicFeaturesDeps,
): Promise<{ readonly url: string }> {
  const { config, lifetime, clock } = context;
  const { deadlines, role, cursorKeys } = config;
  const { tenancy, clients, db, prices } = features;
  const positions = createPositionCursors(cursorKeys);
  const windows = createRateWindowStore(db, deadlines);
  const limiter = createTrafficLimiter({
    limiter: createRequestLimiter({ windows, clock, deadlines }),
    customerRequestsPerMinute: config.customerRequestsPerMinute,
  });
  const undelivered = createDeliveryPlaces<AccountId>({
    limits: config.undelivered,
    bytesPerSecondMin: config.deliveryBytesPerSecondMin,
    kind: 'page',
    clock,
  });
  const { findBySecretDigest, principals } = tenancy;
  const log = clients.eventLog;
  const streams =
    role === 'api'
      ? null
      : await openEventStreams(context, { ...features, log, positions, findBySecretDigest });
  const routes = [
    ...(role === 'events' ? [] : openApiRoutes(context, features, { limiter, positions })),
    ...(streams ? [streams.route] : []),
  ];
  const served = { endpoints: publicRoutes, routes, principals, limiter, undelivered, prices };
  const server = await startPublicApi(context, served);
  // Streams end with a control frame before the server closes the remaining connections.
  if (streams) lifetime.defer('event streams', () => streams.drain());
  return { url: server.url };
}

interface Shared {
  readonly limiter: TrafficLimiter;
  readonly positions: PositionCursors;
}

/** Opens every feature of the public API but the event stream. */
function openApiRoutes(
  context: Context,
  { clients, tenancy, ...features }: PublicFeaturesDeps,
  { limiter, positions }: Shared,
): BoundPublicRoute[] {
  const { config, clock, logger } = context;
  const { ledger, webhooks, collector, eventLog: log } = clients;
  const cursors = createCursorSealer(config.cursorKeys);
  const writeAuditLine = createAuditLines(logger);
  const status = { clock, deadlines: config.deadlines };
  const funds = createFunds({ ledger, prices: features.prices });
  const shared = { ...features, ...clients, tenancy, cursors, funds, limiter };
  return [
    ...openRefreshes(context, shared),
    ...openPages(context, shared),
    ...openWatches(context, shared),
    listEventsRoute.bind({ log, cursors: positions }),
    ...[...webhookEndpointRoutes, ...webhookDeliveryRoutes].map((route) =>
      route.bind({ webhooks, cursors }),
    ),
    readStatusRoute.bind({ readStatus: cacheStatus(collector.readStatus, status) }),
    ...accountRoutes(context, shared),
    ...credentialRoutes.map((route) => route.bind({ tenancy, cursors, clock, writeAuditLine })),
  ];
}

/** What an account has, pays and was charged. */
function accountRoutes(
  { config, clock, logger }: Context,
  {
    commands,
    ledger,
    cursors,
    tenancy: { findProject },
  }: Pick<PublicFeaturesDeps, 'commands' | 'tenancy'> &
    Pick<ServiceClients, 'ledger'> & { readonly cursors: CursorSealer },
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
