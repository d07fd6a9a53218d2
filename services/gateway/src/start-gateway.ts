import type { HealthChecks } from '@inventory/http/health';
import { createPendingReplies } from '@inventory/messaging/pending-replies';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import { noPrices, trackPrices } from './accounts/prices.ts';
import { openBroadcasts } from './commands/open-broadcasts.ts';
import { openCommands } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import { gatewayIndexes } from './gateway-indexes.ts';
import { openClients } from './open-clients.ts';
import { openPublicApi } from './open-public-api.ts';
import { startOperatorApi } from './start-operator-api.ts';
import { openTenancy } from './tenancy/open-tenancy.ts';
import { listEventProjectsRoute, readStandingRoute } from './tenancy/standing-routes.ts';
import { createWatchStanding } from './watches/watch-standing.ts';

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
  const tenancy = await openTenancy(context, { db, bus, broadcasts });
  const { ledger } = clients;
  const prices =
    config.role === 'events' ? noPrices : trackPrices({ ledger, clock, lifetime, logger });

  const internalRoutes = [readStandingRoute.bind(tenancy), listEventProjectsRoute.bind(tenancy)];
  const { url } = await serveInternal(context, internalRoutes, publicPort.health);
  const shared = { commands, clients, tenancy, db };
  const operatorApi = await startOperatorApi(context, shared);
  const watchStandingOf = createWatchStanding(tenancy, clock);
  const publicApi = await openPublicApi(context, {
    ...{ ...shared, bus, broadcasts, prices },
    watchStandingOf,
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
