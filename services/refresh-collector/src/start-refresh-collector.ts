import { createInternalClient } from '@inventory/http/internal-client';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { startScrapedReading } from '@inventory/runtime/scraped-reading';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import { admissionRoutes } from './admission/admission-routes.ts';
import { type Admission, openAdmission } from './admission/open-admission.ts';
import { collectorIndexes } from './collections.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { type Egress, openEgress } from './egress/open-egress.ts';
import { startRefreshJobs } from './jobs/start-refresh-jobs.ts';
import { livePageRoute } from './live-pages/live-page-route.ts';
import { openLivePages } from './live-pages/open-live-pages.ts';
import { openObservations } from './observations/open-observations.ts';
import { startConsuming } from './on-messages.ts';
import { openStores, type Stores } from './open-stores.ts';
import { createExpectations } from './plan/expectations.ts';
import { createPlannerLease, type PlannerLease } from './plan/planner-lease.ts';
import { observeRefreshes } from './plan/survey-metrics.ts';
import { surveyRefreshes } from './plan/survey-refreshes.ts';
import { startScanning } from './planning/start-scanning.ts';
import { refreshRoutes } from './reads/refresh-routes.ts';
import { createRecentUse } from './recent-use.ts';
import { createHoldClient } from './saga/hold-client.ts';
import { openSaga } from './saga/open-saga.ts';
import { eraseInventoryRoute } from './scans/erase-inventory-route.ts';
import { createPageStaging } from './scans/page-staging.ts';
import type { Scans } from './scans/scans.ts';
import { countEnds } from './status/count-ends.ts';
import { statusRoute } from './status/status-route.ts';

type Context = ServiceContext<RefreshCollectorConfig>;

/** Starts the service: egress, refreshes, scanning, the consumer, and internal HTTP last. */
export async function startRefreshCollector(context: Context): Promise<StartedService> {
  const { config, lifetime, clock, logger, identifiers } = context;
  const { bus, db, health } = await openBackends(context, 'refresh-collector', collectorIndexes);
  const replica = identifiers.uuidV7();
  const stores = openStores(db, config, replica, clock, logger);
  const { refreshLists: lists, inventories, replicas } = stores;
  const { ledger, revisionStore } = openClients(config, lifetime);
  const planner = createPlannerLease(stores.plans, replicas, replica, clock, logger);
  const use = createRecentUse(config.scheduling);
  const egress = await openEgress(context, replica, stores, () => planner.plan, use);

  const saga = openSaga(context, bus, stores.refreshes);
  const holds = createHoldClient(ledger);
  const observations = openObservations(saga, lists, revisionStore);
  const assetsPerPage = config.pages.count;
  const { readSize } = inventories;
  const expectations = createExpectations(planner, egress.pace, assetsPerPage, readSize, clock);
  const { isOpen } = egress.breakers;
  const ofAdmission = { saga, observations, expectations };
  const admission = await openAdmission(
    context,
    stores.admission,
    isOpen,
    planner,
    use,
    ofAdmission,
  );
  saga.onEntered(() => void use.note());
  saga.onEntered(countEnds(context, stores.quarterHours));
  startRefreshJobs(context, saga, stores.resends, holds);
  observe(context, stores, egress, planner, admission);

  const livePages = openLivePages(context, egress, inventories, use);
  const scans: Scans = {
    saga,
    store: stores.scans,
    lists,
    inventories,
    egress,
    staging: createPageStaging(revisionStore, egress.executor),
    planner,
    config,
    identifiers,
    replica,
    stopping: lifetime.signal,
  };
  startScanning(context, scans, observations, replicas, use, livePages.requestedPerMinute);
  await startConsuming(context, bus, admission);

  const { settleGraceMs } = config.deadlines;
  const reads = { saga, lists, holds, expectations, settleGraceMs };
  const routes = [
    ...refreshRoutes.map((route) => route.bind(reads)),
    ...admissionRoutes.map((route) => route.bind(admission)),
    statusRoute.bind({ ...stores, planner, clock }),
    eraseInventoryRoute.bind(scans),
    livePageRoute.bind(livePages),
  ];
  return serveInternal(context, routes, health);
}

/** What operators see of all refreshes, whichever replica works on them. */
function observe(
  context: Context,
  stores: Stores,
  { pool }: Egress,
  planner: PlannerLease,
  { watch }: Admission,
): void {
  const { config, clock } = context;
  const { identityStates } = pool;
  const read = surveyRefreshes(stores.survey, identityStates, config.identities, planner, clock);
  const scraped = startScrapedReading('refresh survey', read, context);
  observeRefreshes({
    admission: () => watch.state,
    survey() {
      scraped();
      return planner.survey;
    },
    now: () => clock.now(),
  });
}

const internalTimeoutMs = 20_000;

function openClients(config: RefreshCollectorConfig, lifetime: Lifetime) {
  const { serviceToken } = config;
  const open = (service: string, baseUrl: string) => {
    const client = createInternalClient({
      baseUrl,
      service,
      serviceToken,
      timeoutMs: internalTimeoutMs,
    });
    lifetime.defer(`client of ${service}`, () => client.close());
    return client;
  };
  return {
    revisionStore: open('revision-store', config.revisionStoreUrl),
    ledger: open('billing-ledger', config.billingLedgerUrl),
  };
}
