import { readStoreTime } from '@inventory/mongo/connect';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Db } from 'mongodb';
import { createAdmissionStore } from './admission/admission-store.ts';
import { openCollections } from './collections.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { createAppBreakerStore } from './egress/app-breaker-store.ts';
import { createIdentityStore } from './egress/identity-store.ts';
import { openResends } from './jobs/resend-work.ts';
import { createPlanStore } from './plan/plan-store.ts';
import { createRefreshSurveyStore } from './plan/refresh-survey-store.ts';
import { createReplicaStore } from './plan/replica-store.ts';
import { createRefreshListStore } from './saga/refresh-list-store.ts';
import { createRefreshStore } from './saga/refresh-store.ts';
import { createInventoryStore } from './scans/inventory-store.ts';
import { createScanStore } from './scans/scan-store.ts';
import { createQuarterHourStore } from './status/quarter-hour-store.ts';

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
