import type { Clock } from '@inventory/runtime/clock';
import type { InventoryStore, WaitingLease } from './inventory-store.ts';

/** A lease without a worker, as this replica sees it. */
export interface SeenLease extends WaitingLease {
  readonly deadlineMs: number;
  /** The replicas below their part had the time to take it: now any replica does. */
  readonly waitsLong: boolean;
}

const waitMaxMs = 1_000;

/** Waiting leases, and since when this replica sees them: no two clocks are compared. */
export function createWaitingLeases(inventories: InventoryStore, clock: Clock) {
  let sinceMs = new Map<string, number>();
  let areExpected = true;

  return {
    async find(limit: number): Promise<SeenLease[]> {
      areExpected = false;
      const found = await inventories.findWaitingLeases(limit);
      areExpected ||= found.length > 0;
      const nowMs = clock.now();
      const before = sinceMs;
      const seenMs = (refreshId: string) => before.get(refreshId) ?? nowMs;
      sinceMs = new Map(found.map(({ refreshId }) => [refreshId, seenMs(refreshId)]));
      return found.map((lease) => ({
        ...lease,
        waitsLong: Math.abs(nowMs - seenMs(lease.refreshId)) >= waitMaxMs,
      }));
    },
    /** One is about to be opened. */
    expect(): void {
      areExpected = true;
    },
    /** Whether the last look found one, or one is expected since. */
    get areExpected(): boolean {
      return areExpected;
    },
  };
}
