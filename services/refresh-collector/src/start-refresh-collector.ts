import { createInternalClient } from '@inventory/http/internal-client';
import { readStoreTime } from '@inventory/mongo/connect';
import type { Clock } from '@inventory/runtime/clock';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startScrapedReading } from '@inventory/runtime/scraped-reading';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import { admissionRoutes } from './admission/admission-routes.ts';
import { createAdmissionStore } from './admission/admission-store.ts';
import { type Admission, openAdmission } from './admission/open-admission.ts';
import { collectorIndexes, openCollections } from './collections.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { createAppBreakerStore } from './egress/app-breaker-store.ts';
import { createIdentityStore } from './egress/identity-store.ts';
import { type Egress, openEgress } from './egress/open-egress.ts';
import { openResends } from './jobs/resend-work.ts';
import { startRefreshJobs } from './jobs/start-refresh-jobs.ts';
import { livePageRoute } from './live-pages/live-page-route.ts';
import { openLivePages } from './live-pages/open-live-pages.ts';
import { openObservations } from './observations/open-observations.ts';
import { startConsuming } from './on-messages.ts';
import { createExpectations } from './plan/expectations.ts';
import { createPlanStore } from './plan/plan-store.ts';
import { createPlannerLease, type PlannerLease } from './plan/planner-lease.ts';
import { createReplicaStore } from './plan/replica-store.ts';
import { startScanning } from './planning/start-scanning.ts';
import { refreshRoutes } from './reads/refresh-routes.ts';
import { createRecentUse } from './recent-use.ts';
import { createHoldClient } from './saga/hold-client.ts';
import { openSaga } from './saga/open-saga.ts';
import { createRefreshListStore } from './saga/refresh-list-store.ts';
import { createRefreshStore } from './saga/refresh-store.ts';
import { eraseInventoryRoute } from './scans/erase-inventory-route.ts';
import { createInventoryStore } from './scans/inventory-store.ts';
import { createPageStaging } from './scans/page-staging.ts';
import { createScanStore } from './scans/scan-store.ts';
import type { Scans } from './scans/scans.ts';
import { countEnds } from './status/count-ends.ts';
import { createQuarterHourStore } from './status/quarter-hour-store.ts';
import { statusRoute } from './status/status-route.ts';
import { createRefreshSurveyStore } from './survey/refresh-survey-store.ts';
import { observeRefreshes } from './survey/survey-metrics.ts';
import { surveyRefreshes } from './survey/survey-refreshes.ts';

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

export type Stores = ReturnType<typeof openStores>;

/** Opens every store of the service. */
export function openStores(
  db: Db,
  config: RefreshCollectorConfig,
  /** Name of this replica in its presence. */
  replica: string,
  clock: Clock,
  logger: Logger,
) {
  const collections = openCollections(db);
  const { refreshes } = collections;
  const refreshLists = createRefreshListStore(refreshes, logger);
  const { leaseMs } = config.scheduling;
  const readTime = () => readStoreTime(db);
  return {
    collections,
    refreshes: createRefreshStore(refreshes, clock, config),
    refreshLists,
    resends: openResends(refreshes, config.resend, logger),
    scans: createScanStore(refreshes, readTime, logger),
    inventories: createInventoryStore(collections.inventories, clock, leaseMs, logger),
    plans: createPlanStore(collections.plans, leaseMs, logger),
    identities: createIdentityStore(collections.identities, logger),
    breakers: createAppBreakerStore(collections.appBreakers, refreshLists.isOnlyAccount, logger),
    admission: createAdmissionStore(collections.admission, refreshes),
    quarterHours: createQuarterHourStore(collections.quarterHours, logger),
    survey: createRefreshSurveyStore(refreshes, clock, logger),
    replicas: createReplicaStore(collections.replicas, replica, readTime, logger),
  };
}
