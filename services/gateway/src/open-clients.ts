import { createInternalClient, type InternalClient } from '@inventory/http/internal-client';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { createLedgerClient } from './accounts/ledger-client.ts';
import { createStagingClient } from './captures/staging-client.ts';
import type { GatewayConfig } from './config.ts';
import { createRevisionStoreEraseClient } from './operator/operator-services.ts';
import { createLivePageClient } from './pages/live-page-client.ts';
import { createRevisionStoreClient } from './pages/revision-store-client.ts';
import { createCollectorClient } from './refreshes/collector-client.ts';
import { createEventStreamClient } from './streams/event-stream-client.ts';

export type ServiceClients = ReturnType<typeof openClients>;

/** Clients of the other services; one connection pool to each service serves all features. */
export function openClients({ config, lifetime }: ServiceContext<GatewayConfig>) {
  const { services, deadlines, serviceToken } = config;
  function open(service: string, baseUrl: string, timeoutMs: number): InternalClient {
    const client = createInternalClient({ service, baseUrl, serviceToken, timeoutMs });
    lifetime.defer(`client of ${service}`, () => client.close());
    return client;
  }
  const { collectorTimeoutMs, revisionStoreTimeoutMs } = services;
  const collector = open('refresh-collector', services.refreshCollectorUrl, collectorTimeoutMs);
  const ledger = open('billing-ledger', services.billingLedgerUrl, collectorTimeoutMs);
  const revisions = open('revision-store', services.revisionStoreUrl, revisionStoreTimeoutMs);
  const eventStream = open('event-stream', services.eventStreamUrl, collectorTimeoutMs);
  return {
    collector: createCollectorClient(collector),
    admission: collector,
    livePages: createLivePageClient(collector, config.livePages),
    ledger: createLedgerClient(ledger, deadlines),
    revisions: createRevisionStoreClient(revisions),
    inventories: createRevisionStoreEraseClient(revisions, deadlines),
    staging: createStagingClient(revisions, config.captures.stagingTimeoutMs),
    eventLog: createEventStreamClient(eventStream),
    webhooks: eventStream,
  };
}
