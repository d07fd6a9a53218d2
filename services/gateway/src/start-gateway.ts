import type { RequestListener } from 'node:http';
import { type HealthChecks, serveHealth } from '@inventory/http/health';
import { startHttpServer } from '@inventory/http/http-server';
import { createInternalApp } from '@inventory/http/internal-app';
import { createPendingReplies } from '@inventory/messaging/pending-replies';
import { openBackends } from '@inventory/service-host/open-backends';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import { trackPrices } from './accounts/track-prices.ts';
import { createRequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import { observeWaitingReplies } from './metrics.ts';
import { openBroadcasts, replyTypes } from './open-broadcasts.ts';
import { openClients } from './open-clients.ts';
import { openPublicApi, publicApiIndexes } from './open-public-api.ts';
import { openOperatorApi } from './operator/open-operator-api.ts';
import { openTenancy } from './tenancy/open-tenancy.ts';
import { readStandingRoute } from './tenancy/read-standing-route.ts';
import { tenancyIndexes } from './tenancy/tenancy-documents.ts';

export interface StartedGateway extends StartedService {
  /** Address of the public API; `url` is the private one. */
  readonly publicUrl: string;
}

const privateDrainMs = 5_000;

export async function startGateway(
  context: ServiceContext<GatewayConfig>,
): Promise<StartedGateway> {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { deadlines } = config;
  const indexes = [...tenancyIndexes, ...publicApiIndexes];
  const { db, bus, health } = await openBackends(context, 'gateway', indexes);
  const broadcasts = await openBroadcasts(bus, lifetime);
  const replies = createPendingReplies();
  broadcasts.on(replyTypes, replies.onMessage);
  const commands = createRequestReplyClient({ bus, replies });
  lifetime.defer('replies', () => replies.stop());
  lifetime.defer(
    'metrics',
    observeWaitingReplies(() => replies.waiting),
  );
  const clients = openClients(context);
  const { ledger, webhooks } = clients;
  const tenancy = openTenancy({ db, bus, broadcasts, clock, identifiers, lifetime, logger });
  const prices = trackPrices({ ledger, lifetime, logger });

  const operatorApi = openOperatorApi({
    tenancy,
    commands,
    ledger,
    admission: clients.admission,
    inventories: clients.inventories,
    webhooks,
    token: config.operatorToken,
    deadlines,
    clock,
    identifiers,
    logger,
  });
  const { serviceTokens } = config;
  const routes = [readStandingRoute.bind(tenancy)];
  const internalApi = createInternalApp({ routes, health, serviceTokens, logger });
  const listener = privateListener(health, operatorApi, internalApi);
  const server = await startHttpServer({ listener, ...config.http });
  lifetime.defer('private HTTP', () => server.close(privateDrainMs));

  const { url: publicUrl } = await openPublicApi(context, {
    ...clients,
    db,
    commands,
    bus,
    broadcasts,
    authorities: tenancy.authorities,
    findProject: tenancy.findProject,
    findBySecretDigest: tenancy.findBySecretDigest,
    prices,
  });
  return { url: server.url, publicUrl };
}

/**
 * Operators and fellow services have a token each, for routes of their own. Health and metrics need
 * none: whoever probes them must not be able to operate.
 */
function privateListener(
  health: HealthChecks,
  operatorApi: RequestListener,
  internalApi: RequestListener,
): RequestListener {
  return (request, response) => {
    if (request.url?.startsWith('/internal/')) {
      internalApi(request, response);
      return;
    }
    serveHealth(health, request, response).then(
      (served) => {
        if (!served) operatorApi(request, response);
      },
      () => response.writeHead(500).end(),
    );
  };
}
