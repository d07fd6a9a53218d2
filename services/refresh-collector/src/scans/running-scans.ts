import type { Clock } from '@inventory/runtime/clock';
import { type HeldLease, holdLease } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';
import type { Refresh } from '../saga/refresh.domain.ts';
import { work } from '../work.ts';
import type { InventoryLease, InventoryStore } from './inventory-store.ts';
import type { OwnScan } from './replica-share.domain.ts';
import type { ScanHold } from './run-scan.ts';
import type { ClaimedScan } from './scan-store.ts';

export interface RunningScansDeps {
  readonly inventories: InventoryStore;
  /** Reads a scan to its end, or until its lease is lost or it is left to another worker. */
  readonly run: (scan: ClaimedScan, hold: ScanHold) => Promise<void>;
  /** As this replica last read or wrote it; null where it does not know. */
  readonly lastKnown: (refreshId: string) => Refresh | null;
  /** Pages that are expected to be left of a scan. */
  readonly pagesLeft: (refresh: Refresh) => number;
  readonly leaseMs: number;
  /** Aborted when the process stops: leases are then released. */
  readonly stopping: AbortSignal;
  readonly onEnded: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface RunningScan {
  /** As it was claimed. */
  readonly refresh: Refresh;
  readonly held: HeldLease;
  readonly leave: AbortController;
  readonly sinceMs: number;
  readonly ended: Promise<void>;
}

/** The scans that this replica reads, each under the lease of its inventory. */
export function createRunningScans(deps: RunningScansDeps) {
  const { inventories, clock, logger } = deps;
  /** By token: this worker may take an expired lease of its own before its earlier run ended. */
  const own = new Map<string, RunningScan>();

  const held = () => [...own.values()].filter((scan) => !scan.held.signal.aborted);
  const ofRefresh = (refreshId: string) =>
    [...own.values()].filter(({ refresh }) => refresh.refreshId === refreshId);

  async function release(lease: InventoryLease): Promise<void> {
    try {
      await inventories.releaseLease(lease);
    } catch (error) {
      logger.warn({ err: error, refresh_id: lease.refreshId }, 'scan lease not released');
    }
  }

  function staying(): OwnScan[] {
    const scans = held().filter(({ leave }) => !leave.signal.aborted);
    return scans.map(({ refresh, sinceMs }) => {
      const { refreshId } = refresh;
      const known = deps.lastKnown(refreshId) ?? refresh;
      const deadlineMs = known.collectDeadlineMs ?? 0;
      return { refreshId, pagesLeft: deps.pagesLeft(known), deadlineMs, sinceMs };
    });
  }

  return {
    /** `sentMs`: when its lease was requested. */
    run(lease: InventoryLease, claimed: ClaimedScan, sentMs: number): void {
      const renew = () => inventories.renewLease(lease);
      const { leaseMs } = deps;
      const hold = holdLease({ name: work.scans.name, leaseMs, sentMs, renew, clock, logger });
      const leave = new AbortController();
      const leaving = AbortSignal.any([deps.stopping, leave.signal]);
      const ended = deps
        .run(claimed, { ...hold, ending: AbortSignal.any([hold.signal, leaving]) })
        .catch((error: unknown) => {
          // The lease expires, and another worker resumes from the last recorded page.
          logger.error({ err: error, refresh_id: lease.refreshId }, 'scan interrupted');
        })
        .then(async () => {
          hold.end();
          own.delete(lease.token);
          if (leaving.aborted) await release(lease);
          deps.onEnded();
        });
      const { refresh } = claimed;
      own.set(lease.token, { refresh, held: hold, leave, sinceMs: clock.now(), ended });
    },
    /** Releases the lease of a scan as soon as its page in flight is recorded. */
    handOver(refreshId: string): void {
      for (const { leave } of ofRefresh(refreshId)) leave.abort();
    },
    /** Ends a scan that was parked or whose refresh ended. */
    stop(refreshId: string): void {
      for (const scan of ofRefresh(refreshId)) scan.held.end();
    },
    /** Those that are not handed over. */
    staying,
    /** Of those. */
    get pagesLeft(): number {
      return staying().reduce((sum, scan) => sum + scan.pagesLeft, 0);
    },
    /** A scan whose lease ended does not count, also while its last page is in flight. */
    get count(): number {
      return held().length;
    },
    /** Resolves when every scan has ended or was released. */
    async idle(): Promise<void> {
      await Promise.all([...own.values()].map(({ ended }) => ended));
    },
  };
}
