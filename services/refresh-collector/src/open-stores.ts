import { readStoreTime } from '@inventory/mongo/connect';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Db } from 'mongodb';
import { type Collections, openCollections } from './collections.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { type AppBreakerStore, createAppBreakerStore } from './egress/app-breaker-store.ts';
import { createIdentityStore, type IdentityStore } from './egress/identity-store.ts';
import { type AdmissionStore, createAdmissionStore } from './refreshes/admission-store.ts';
import { createQuarterHourStore, type QuarterHourStore } from './refreshes/quarter-hour-store.ts';
import { createRefreshListStore, type RefreshListStore } from './refreshes/refresh-list-store.ts';
import { createRefreshStore, type RefreshStore } from './refreshes/refresh-store.ts';
import {
  createRefreshSurveyStore,
  type RefreshSurveyStore,
} from './refreshes/refresh-survey-store.ts';
import { openResends, type Resends } from './refreshes/resend-work.ts';
import { createInventoryStore, type InventoryStore } from './scans/inventory-store.ts';
import { createPlanStore, type PlanStore } from './scans/plan-store.ts';
import { createReplicaStore, type ReplicaStore } from './scans/replica-store.ts';
import { createScanStore, type ScanStore } from './scans/scan-store.ts';

export interface Stores {
  readonly collections: Collections;
  readonly refreshes: RefreshStore;
  readonly refreshLists: RefreshListStore;
  readonly resends: Resends;
  readonly scans: ScanStore;
  readonly inventories: InventoryStore;
  readonly plans: PlanStore;
  readonly identities: IdentityStore;
  readonly breakers: AppBreakerStore;
  readonly admission: AdmissionStore;
  readonly quarterHours: QuarterHourStore;
  readonly replicas: ReplicaStore;
  readonly survey: RefreshSurveyStore;
}

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
): Stores {
  const { config, clock, logger, replica } = deps;
  const collections = openCollections(db);
  const { refreshes } = collections;
  const refreshLists = createRefreshListStore(refreshes);
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
