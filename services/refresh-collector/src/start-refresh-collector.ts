import { createInternalClient } from '@inventory/http/internal-client';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import { indexes } from './collections.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { openEgress } from './egress/open-egress.ts';
import { openLivePages } from './live-pages/open-live-pages.ts';
import { createObservationClient } from './observations/find-observation.ts';
import { startConsuming } from './on-messages.ts';
import { openRefreshes } from './open-refreshes.ts';
import { openStores } from './open-stores.ts';
import { createPlannerLease } from './plan/planner-lease.ts';
import { startScanning } from './planning/start-scanning.ts';
import { createRecentUse } from './recent-use.ts';
import { createLedgerClient } from './saga/hold-client.ts';
import { createRevisionStoreClient } from './scans/staging-client.ts';

/** Starts the service: stores, egress, refreshes, scanning, the consumer, and internal HTTP last. */
export async function startRefreshCollector(
  context: ServiceContext<RefreshCollectorConfig>,
): Promise<StartedService> {
  const { config, lifetime, identifiers } = context;
  const backends = await openBackends(context, 'refresh-collector', indexes);
  const replica = identifiers.uuidV7();
  const stores = openStores(backends.db, { ...context, replica });
  const { ledger, revisionStore, observations, executor } = openClients(config, lifetime);
  const planner = createPlannerLease({ ...context, ...stores, replica });
  const plan = () => planner.plan;
  const use = createRecentUse(config.scheduling);

  const ofEgress = { replica, stores, slotRules: plan, executor, use };
  const egress = await openEgress(context, ofEgress);
  const ofRefreshes = { backends, stores, ledger, observations, egress, planner, use };
  const refreshes = await openRefreshes(context, ofRefreshes);
  const { inventories } = stores;
  const { pace } = refreshes;
  const livePages = openLivePages(context, { egress, inventories, pace, use });
  const scanning = startScanning(context, {
    stores,
    revisionStore,
    observations,
    egress,
    refreshes,
    planner,
    replica,
    use,
    livePagesPerMinute: livePages.requestedPerMinute,
  });
  await startConsuming(context, { bus: backends.bus, observations, ...refreshes });

  const routes = [...refreshes.routes, ...scanning.routes, ...livePages.routes];
  return serveInternal(context, routes, backends.health);
}

const internalTimeoutMs = 20_000;

function openClients(config: RefreshCollectorConfig, lifetime: Lifetime) {
  const { serviceToken } = config;
  const internal = (service: string, baseUrl: string) => {
    const client = createInternalClient({
      baseUrl,
      service,
      serviceToken,
      timeoutMs: internalTimeoutMs,
    });
    lifetime.defer(`client of ${service}`, () => client.close());
    return client;
  };
  /** Parses and serializes large pages, one at a time. */
  const executor = createSerialExecutor();
  const revisionStore = internal('revision-store', config.revisionStoreUrl);
  return {
    executor,
    revisionStore: createRevisionStoreClient(revisionStore, executor),
    observations: createObservationClient(revisionStore),
    ledger: createLedgerClient(internal('billing-ledger', config.billingLedgerUrl)),
  };
}
