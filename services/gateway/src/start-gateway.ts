import type { HealthChecks } from '@inventory/http/health';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { createPendingReplies } from '@inventory/messaging/pending-replies';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import { noPrices, trackPrices } from './accounts/prices.ts';
import { createCaptureStore } from './captures/capture-store.ts';
import { openBroadcasts } from './commands/open-broadcasts.ts';
import { openCommands, type RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import { gatewayIndexes } from './gateway-indexes.ts';
import { createCursorSealer } from './http/sealed-cursor.ts';
import { openClients, type ServiceClients } from './open-clients.ts';
import { openPublicApi } from './open-public-api.ts';
import { createAuditStore } from './operator/audit-store.ts';
import { openOperatorApi } from './operator/operator-app.ts';
import { openPromisedSecrets } from './secrets/open-promised-secrets.ts';
import { listEventProjectsRoute, readEventAccessRoute } from './tenancy/event-access-routes.ts';
import { openTenancy, type Tenancy } from './tenancy/open-tenancy.ts';
import { createWatchEligibility } from './watches/watch-eligibility.ts';
import { createWatchStore } from './watches/watch-store.ts';

export interface StartedGateway extends StartedService {
  readonly publicUrl: string;
  readonly operatorUrl: string;
}

export async function startGateway(
  context: ServiceContext<GatewayConfig>,
): Promise<StartedGateway> {
  const { config, lifetime, clock, logger } = context;
  const { db, bus, health } = await openBackends(context, 'gateway', gatewayIndexes);
  const publicPort = withoutPublicPort(health);
  const replies = createPendingReplies();
  const broadcasts = await openBroadcasts(bus, lifetime, replies);
  const commands = openCommands({ bus, broadcasts, lifetime, replies });
  const clients = openClients(context);
  const tenancy = openTenancy(context, { db, bus, broadcasts });
  const { ledger } = clients;
  const prices =
    config.role === 'events' ? noPrices : trackPrices({ ledger, clock, lifetime, logger });

  const internalRoutes = [readEventAccessRoute.bind(tenancy), listEventProjectsRoute.bind(tenancy)];
  const { url } = await serveInternal(context, internalRoutes, publicPort.health);
  const shared = { commands, clients, tenancy, db };
  const operatorApi = await startOperatorApi(context, shared);
  const eligibilityOf = createWatchEligibility(tenancy, clock);
  const publicApi = await openPublicApi(context, {
    ...shared,
    bus,
    broadcasts,
    prices,
    eligibilityOf,
  });
  publicPort.opened();
  return { url, operatorUrl: operatorApi.url, publicUrl: publicApi.url };
}

/** The private port opens first and closes last: a gateway is ready once its public port listens. */
function withoutPublicPort(health: HealthChecks) {
  let problems: readonly string[] = ['the public port does not listen'];
  const notReady = async () => [...(await health.notReady()), ...problems];
  return {
    health: { ...health, notReady },
    opened(): void {
      problems = [];
    },
  };
}

const operatorDrainMs = 5_000;

/** Serves the operator API on a port of its own. The database must have `auditIndexes`. */
async function startOperatorApi(
  context: ServiceContext<GatewayConfig>,
  parts: {
    readonly db: Db;
    readonly commands: RequestReplyClient;
    readonly clients: ServiceClients;
    readonly tenancy: Tenancy;
  },
): Promise<HttpServer> {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { tenancy, commands, clients, db } = parts;
  const { deadlines } = config;
  const auditStore = createAuditStore(db, deadlines, logger);
  const cursors = createCursorSealer(config.cursorKeys);
  const captures = createCaptureStore(db, deadlines, logger);
  const secrets = openPromisedSecrets(db, context);
  const watches = createWatchStore(db, deadlines, logger);
  const stores = { tenancy, secrets, watches, auditStore, captures, cursors };
  const services = { ...clients, ...stores, commands, clock, identifiers, deadlines };
  const listener = openOperatorApi(services, config.operatorApi, logger);
  const server = await startHttpServer({ listener, ...config.operatorHttp });
  lifetime.defer('operator HTTP', () => server.close(operatorDrainMs));
  return server;
}
