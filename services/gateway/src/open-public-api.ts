import type { AccountId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import { createFunds } from './accounts/funds.ts';
import type { PriceVersion } from './accounts/prices.ts';
import type { Broadcasts } from './commands/open-broadcasts.ts';
import type { RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import { createAuditLines } from './http/audit-lines.ts';
import { createDeliverySlots } from './http/delivery/delivery-slots.ts';
import { createRequestLimiter } from './http/limits/limit-requests.ts';
import { createTrafficLimiter, type TrafficLimiter } from './http/limits/limit-traffic.ts';
import { createRateWindowStore } from './http/limits/rate-window-store.ts';
import { endpointsOf } from './http/public-route.ts';
import { createCursorSealer } from './http/sealed-cursor.ts';
import { startPublicApi } from './http/start-public-api.ts';
import type { ServiceClients } from './open-clients.ts';
import { openPages } from './pages/open-pages.ts';
import { type PublicServices, publicRoutes } from './public-routes.ts';
import { openRefreshes } from './refreshes/open-refreshes.ts';
import { createDailyPlayCredits } from './sandbox/play-credits.ts';
import { openPromisedSecrets } from './secrets/open-promised-secrets.ts';
import { cacheStatus } from './status/read-status-route.ts';
import { openEventStreams } from './streams/open-event-streams.ts';
import { createPositionCursors, type PositionCursors } from './streams/position-cursor.ts';
import type { Tenancy } from './tenancy/open-tenancy.ts';
import { openWatches } from './watches/open-watches.ts';
import { watchWork } from './watches/run-watch.ts';
import type { EligibilityOf } from './watches/watch-eligibility.ts';

type Context = ServiceContext<GatewayConfig>;

export interface PublicApiNeeds {
  readonly tenancy: Tenancy;
  readonly db: Db;
  readonly bus: MessageBus;
  readonly broadcasts: Broadcasts;
  readonly commands: RequestReplyClient;
  readonly clients: ServiceClients;
  readonly prices: PriceVersion;
  /** Whether the Project of a watch may have runs. */
  readonly eligibilityOf: EligibilityOf;
}

/** Opens the features of the public API that the role of this process serves, then serves them. */
export async function openPublicApi(
  context: Context,
  needs: PublicApiNeeds,
): Promise<{ readonly url: string }> {
  const { config, lifetime, clock } = context;
  const { deadlines, role, customerRequestsPerMinute } = config;
  const { tenancy, db, prices } = needs;
  const windows = createRateWindowStore(db, deadlines);
  const limiter = createTrafficLimiter({
    limiter: createRequestLimiter({ windows, clock, deadlines }),
    customerRequestsPerMinute,
  });
  const undelivered = createDeliverySlots<AccountId>({
    limits: config.undelivered,
    bytesPerSecondMin: config.deliveryBytesPerSecondMin,
    kind: 'page',
    clock,
  });
  const positions = createPositionCursors(config.cursorKeys);
  const streams =
    role === 'api'
      ? undefined
      : await openEventStreams(context, { ...needs, log: needs.clients.eventLog, positions });
  const services: Partial<PublicServices> = {
    ...(role === 'events' ? {} : openApi(context, needs, limiter, positions)),
    ...(streams && { streams }),
  };
  const routes = endpointsOf(publicRoutes, role).map((operation) => operation.bind(services));
  const playCredits = { ...needs, ...needs.clients, ...context, deadlines };
  const beforeRequest = createDailyPlayCredits(playCredits, context.logger);
  const frame = { principals: tenancy.principals, limiter, undelivered, prices, beforeRequest };
  const server = await startPublicApi(context, frame, routes, publicRoutes);
  // Streams end with a control frame before the server closes the remaining connections.
  if (streams) lifetime.defer('event streams', () => streams.drain());
  return { url: server.url };
}

/** Opens every feature of the public API but the event stream. */
function openApi(
  context: Context,
  needs: PublicApiNeeds,
  limiter: TrafficLimiter,
  positions: PositionCursors,
): Omit<PublicServices, 'streams'> {
  const { config, clock, logger } = context;
  const { deadlines, decisionTimeoutMs, customerRequestsPerMinute } = config;
  const { clients, prices } = needs;
  const { ledger, collector, eventLog } = clients;
  const cursors = createCursorSealer(config.cursorKeys);
  const funds = createFunds({ ledger, prices });
  const shared = { ...needs, ...clients, cursors, funds, limiter, clock, logger };
  const secrets = openPromisedSecrets(needs.db, context);
  const issuing = { ...shared, secrets, identifiers: context.identifiers };
  const refreshes = openRefreshes(context, shared);
  const watches = openWatches(context, { ...shared, refreshes });
  const { wakeIn: wakeWatchesIn } = startWorker(watchWork(watches), context);
  return {
    refreshes,
    pages: openPages(context, shared),
    watches,
    events: { log: eventLog, cursors: positions },
    webhooks: issuing,
    accounts: { ...shared, decisionTimeoutMs, customerRequestsPerMinute },
    credentials: {
      ...issuing,
      decisionTimeoutMs,
      writeAuditLine: createAuditLines(logger),
    },
    sandbox: { ...shared, ...watches, wakeWatchesIn, log: eventLog, positions },
    status: { readStatus: cacheStatus(collector.readStatus, { clock, deadlines }) },
  };
}
