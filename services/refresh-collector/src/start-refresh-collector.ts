import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import { indexes } from './collections.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { openEgress } from './egress/open-egress.ts';
import { openLivePages } from './live-pages/open-live-pages.ts';
import { openClients } from './open-clients.ts';
import { openStores } from './open-stores.ts';
import { createRecentUse } from './recent-use.ts';
import { startConsuming } from './refreshes/on-messages.ts';
import { openRefreshes } from './refreshes/open-refreshes.ts';
import { createPlannerLease } from './scans/planner-lease.ts';
import { startScanning } from './scans/start-scanning.ts';

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
