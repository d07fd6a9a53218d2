import type { RequestListener } from 'node:http';
import { type HealthChecks, serveHealth } from '@inventory/http/health';
import { startHttpServer } from '@inventory/http/http-server';
import { createInternalApp } from '@inventory/http/internal-app';
import { createInternalClient, type InternalClient } from '@inventory/http/internal-client';
import { createPendingReplies } from '@inventory/messaging/pending-replies';
import { openBackends } from '@inventory/service-host/open-backends';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import { createLedgerClient } from './accounts/ledger-client.ts';
import { trackPrices } from './accounts/track-prices.ts';
import { createStagingClient } from './captures/staging-client.ts';
import type { GatewayConfig } from './config.ts';
import { observeWaitingReplies } from './metrics.ts';
import { openPublicApi, publicApiIndexes } from './open-public-api.ts';
import { createAdmissionClient } from './operator/admission-client.ts';
import { openOperatorApi } from './operator/open-operator-api.ts';
import { createRevisionStoreEraseClient } from './operator/revision-store-erase-client.ts';
import { createLivePageClient } from './pages/live-page-client.ts';
import { createRevisionStoreClient } from './pages/revision-store-client.ts';
import { createCollectorClient } from './refreshes/collector-client.ts';
import { createEventStreamClient } from './streams/event-stream-client.ts';
import { openTenancy } from './tenancy/open-tenancy.ts';
import { createStandingRouter } from './tenancy/standing-routes.ts';
import { tenancyIndexes } from './tenancy/tenancy-documents.ts';
import { createWebhookClient } from './webhooks/webhook-client.ts';

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
  const replies = await createPendingReplies(bus, 'gateway');
  lifetime.defer('replies', () => replies.stop());
  lifetime.defer(
    'metrics',
    observeWaitingReplies(() => replies.waiting),
  );
  const { collectorClient, ledgerClient, revisionStoreClient, eventStreamClient } =
    openClients(context);
  const tenancy = await openTenancy({ db, bus, clock, identifiers, logger });
  lifetime.defer('tenancy', () => tenancy.stop());
  const ledger = createLedgerClient(ledgerClient, deadlines);
  const prices = trackPrices({ ledger, logger });
  lifetime.defer('prices', () => prices.stop());

  const webhooks = createWebhookClient(eventStreamClient);

  const operatorApi = openOperatorApi({
    tenancy,
    bus,
    replies,
    ledger,
    admission: createAdmissionClient(collectorClient),
    inventories: createRevisionStoreEraseClient(revisionStoreClient, deadlines),
    webhooks,
    token: config.operatorToken,
    deadlines,
    clock,
    identifiers,
    logger,
  });
  const { serviceTokens } = config;
  const router = createStandingRouter(tenancy);
  const internalApi = createInternalApp({ router, health, serviceTokens, logger });
  const listener = privateListener(health, operatorApi, internalApi);
  const server = await startHttpServer({ listener, ...config.http });
  lifetime.defer('private HTTP', () => server.close(privateDrainMs));

  const { url: publicUrl } = await openPublicApi(context, {
    db,
    channel: { bus, replies },
    bus,
    authorities: tenancy.authorities,
    collector: createCollectorClient(collectorClient),
    ledger,
    findProject: tenancy.findProject,
    findBySecretDigest: tenancy.findBySecretDigest,
    eventLog: createEventStreamClient(eventStreamClient),
    webhooks,
    revisions: createRevisionStoreClient(revisionStoreClient),
    livePages: createLivePageClient(collectorClient, config.livePages),
    staging: createStagingClient(revisionStoreClient, config.captures.stagingTimeoutMs),
    prices,
  });
  return { url: server.url, publicUrl };
}

/** One connection pool to each service, whoever calls it. */
function openClients({ config, lifetime }: ServiceContext<GatewayConfig>) {
  const { services } = config;
  const [serviceToken] = config.serviceTokens;
  function open(service: string, baseUrl: string, timeoutMs: number): InternalClient {
    const client = createInternalClient({ service, baseUrl, serviceToken, timeoutMs });
    lifetime.defer(`client of ${service}`, () => client.close());
    return client;
  }
  const { refreshCollectorUrl, billingLedgerUrl, revisionStoreUrl, eventStreamUrl } = services;
  return {
    collectorClient: open('refresh-collector', refreshCollectorUrl, services.collectorTimeoutMs),
    ledgerClient: open('billing-ledger', billingLedgerUrl, services.collectorTimeoutMs),
    revisionStoreClient: open('revision-store', revisionStoreUrl, services.revisionStoreTimeoutMs),
    eventStreamClient: open('event-stream', eventStreamUrl, services.collectorTimeoutMs),
  };
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
