import type { Identifiers } from '@inventory/runtime/identifiers';
import type { EgressConfig } from '../egress/egress-config.ts';
import type { Egress } from '../egress/open-egress.ts';
import type { PlannerLease } from '../plan/planner-lease.ts';
import type { Saga } from '../saga/open-saga.ts';
import type { RefreshListStore } from '../saga/refresh-list-store.ts';
import type { InventoryStore } from './inventory-store.ts';
import type { PageStaging } from './page-staging.ts';
import type { ScanRules } from './scan.domain.ts';
import type { ScanConfig } from './scan-config.ts';
import type { ScanStore } from './scan-store.ts';

/** What scans are planned and read with: the planner, the workers and the routes take it whole. */
export interface Scans {
  readonly saga: Saga;
  readonly store: ScanStore;
  readonly lists: RefreshListStore;
  readonly inventories: InventoryStore;
  readonly egress: Egress;
  readonly staging: PageStaging;
  readonly planner: PlannerLease;
  readonly config: EgressConfig & ScanConfig;
  readonly identifiers: Identifiers;
  /** Name of this replica, stored with the scans it reads. */
  readonly replica: string;
  /** Aborted when the process stops: leases are then released. */
  readonly stopping: AbortSignal;
}

export function scanRules({ config }: Scans): ScanRules {
  return { ...config.pages, pagesMax: config.scheduling.pagesMax };
}
