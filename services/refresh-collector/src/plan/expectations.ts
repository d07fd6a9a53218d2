import type { Clock } from '@inventory/runtime/clock';
import type { CollectionPace } from '../egress/egress-identity.domain.ts';
import type { InventorySize } from '../saga/recorded-scan.domain.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { PlannerLease } from './planner-lease.ts';
import { expectedPagesOf } from './published-plan.domain.ts';
import { type Estimate, estimateOf } from './status-estimate.domain.ts';

export type Expectations = ReturnType<typeof createExpectations>;

/** What is expected of a refresh by the published plan, and by what earlier scans reported. */
export function createExpectations(
  planner: PlannerLease,
  pace: CollectionPace,
  assetsPerPage: number,
  readSize: (inventory: string) => Promise<InventorySize | null>,
  clock: Clock,
) {
  return {
    /** Pages to expect of an inventory; null where nothing is known of it. */
    async pagesOf(inventory: string): Promise<number | null> {
      return expectedPagesOf(await readSize(inventory), planner.plan, clock.now());
    },
    /** Of a refresh with so many open ones of its account before it. */
    estimateOf(refresh: Refresh, before: number): Estimate {
      const { plan } = planner;
      return estimateOf(refresh, { plan, pace, assetsPerPage, before, nowMs: clock.now() });
    },
  };
}
