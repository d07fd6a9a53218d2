import type { Environment } from '@inventory/contracts/environment';
import {
  createInternalClient,
  type InternalClient,
  ServiceUnreachable,
} from '@inventory/http/internal-client';
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
  const sandboxUrl = services.sandboxRefreshCollectorUrl;
  const collectorAt = (url: string) => open('refresh-collector', url, collectorTimeoutMs);
  const collectors: Readonly<Record<Environment, InternalClient | undefined>> = {
    live: collectorAt(services.refreshCollectorUrl),
    sandbox: sandboxUrl === undefined ? undefined : collectorAt(sandboxUrl),
  };
  /** Of a sandbox that is no longer configured none responds. */
  function collectorOf(environment: Environment): InternalClient {
    const collector = collectors[environment];
    if (!collector) throw new ServiceUnreachable('no sandbox is configured');
    return collector;
  }
  const ledger = open('billing-ledger', services.billingLedgerUrl, collectorTimeoutMs);
  const revisions = open('revision-store', services.revisionStoreUrl, revisionStoreTimeoutMs);
  const eventStream = open('event-stream', services.eventStreamUrl, collectorTimeoutMs);
  return {
    collector: createCollectorClient(collectorOf),
    collectorOf,
    livePages: createLivePageClient(collectorOf, config.livePages),
    ledger: createLedgerClient(ledger, deadlines),
    revisions: createRevisionStoreClient(revisions),
    inventories: createRevisionStoreEraseClient(revisions, deadlines),
    staging: createStagingClient(revisions, config.captures.stagingTimeoutMs),
    eventLog: createEventStreamClient(eventStream),
    webhooks: eventStream,
  };
}
