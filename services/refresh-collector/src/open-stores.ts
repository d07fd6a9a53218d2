import { readStoreTime } from '@inventory/mongo/connect';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Db } from 'mongodb';
import { openCollections } from './collections.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { createAppBreakerStore } from './egress/app-breaker-store.ts';
import { createIdentityStore } from './egress/identity-store.ts';
import { createAdmissionStore } from './refreshes/admission-store.ts';
import { createQuarterHourStore } from './refreshes/quarter-hour-store.ts';
import { createRefreshListStore } from './refreshes/refresh-list-store.ts';
import { createRefreshStore } from './refreshes/refresh-store.ts';
import { createRefreshSurveyStore } from './refreshes/refresh-survey-store.ts';
import { openResends } from './refreshes/resend-work.ts';
import { createInventoryStore } from './scans/inventory-store.ts';
import { createPlanStore } from './scans/plan-store.ts';
import { createReplicaStore } from './scans/replica-store.ts';
import { createScanStore } from './scans/scan-store.ts';

export type Stores = ReturnType<typeof openStores>;

/** Opens every store of the service. */
export function openStores(
  db: Db,
  deps: {
    readonly config: RefreshCollectorConfig;
    readonly clock: Clock;
    readonly logger: Pick<Logger, 'error'>;
    /** Name of this replica in its presence. */
    readonly replica: string;
  },
) {
  const { config, clock, logger, replica } = deps;
  const collections = openCollections(db);
  const { refreshes } = collections;
  const refreshLists = createRefreshListStore(refreshes, logger);
  const { leaseMs } = config.scheduling;
  return {
    collections,
    refreshes: createRefreshStore(refreshes, clock, config),
    refreshLists,
    resends: openResends(refreshes, logger),
    scans: createScanStore(refreshes, () => readStoreTime(db), logger),
    inventories: createInventoryStore(collections.inventories, clock, leaseMs, logger),
    plans: createPlanStore(collections.plans, leaseMs, logger),
    identities: createIdentityStore(collections.identities),
    breakers: createAppBreakerStore(collections.appBreakers, refreshLists.isOnlyAccount, logger),
    admission: createAdmissionStore(collections.admission, refreshes),
    quarterHours: createQuarterHourStore(collections.quarterHours),
    survey: createRefreshSurveyStore(refreshes, clock, logger),
    replicas: createReplicaStore(collections.replicas, replica, clock, logger),
  };
}
