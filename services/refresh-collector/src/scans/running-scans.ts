import { type HeldLease, holdLease } from '@inventory/runtime/hold-lease';
import { expectedPagesLeft } from '../saga/recorded-scan.domain.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import { work } from '../work.ts';
import type { InventoryLease } from './inventory-store.ts';
import type { OwnScan } from './replica-share.domain.ts';
import type { ScanHold } from './run-scan.ts';
import type { ClaimedScan } from './scan-store.ts';
import type { Scans } from './scans.ts';

/** Reads a scan to its end, or until its lease is lost or it is left to another worker. */
export type RunScan = (scan: ClaimedScan, hold: ScanHold) => Promise<void>;

interface RunningScan {
  /** As it was claimed. */
  readonly refresh: Refresh;
  readonly held: HeldLease;
  readonly leave: AbortController;
  readonly sinceMs: number;
  readonly ended: Promise<void>;
}

/** The scans that this replica reads, each under the lease of its inventory. */
export function createRunningScans(scans: Scans, run: RunScan, onEnded: () => void) {
  const { saga, inventories, planner, config, stopping } = scans;
  const { clock, logger } = saga;
  const { leaseMs } = config.scheduling;
  /** By token: this worker may take an expired lease of its own before its earlier run ended. */
  const own = new Map<string, RunningScan>();

  const held = () => [...own.values()].filter((scan) => !scan.held.signal.aborted);
  const ofRefresh = (refreshId: string) =>
    [...own.values()].filter(({ refresh }) => refresh.refreshId === refreshId);

  async function release(lease: InventoryLease): Promise<void> {
    try {
      await inventories.releaseLease(lease);
    } catch (error) {
      logger.warn({ err: error, refreshId: lease.refreshId }, 'scan lease not released');
    }
  }

  function staying(): OwnScan[] {
    const kept = held().filter(({ leave }) => !leave.signal.aborted);
    return kept.map(({ refresh, sinceMs }) => {
      const { refreshId } = refresh;
      const known = saga.refreshes.cachedRefresh(refreshId) ?? refresh;
      const deadlineMs = known.collectDeadlineMs ?? 0;
      const { typicalPages } = planner.plan;
      const pagesLeft = expectedPagesLeft(known, config.pages.count, typicalPages);
      return { refreshId, pagesLeft, deadlineMs, sinceMs };
    });
  }

  return {
    /** `sentMs`: when its lease was requested. */
    run(lease: InventoryLease, claimed: ClaimedScan, sentMs: number): void {
      const renew = () => inventories.renewLease(lease);
      const hold = holdLease({ name: work.scans.name, leaseMs, sentMs, renew, clock, logger });
      const leave = new AbortController();
      const leaving = AbortSignal.any([stopping, leave.signal]);
      const ended = run(claimed, { ...hold, ending: AbortSignal.any([hold.signal, leaving]) })
        .catch((error: unknown) => {
          // The lease expires, and another worker resumes from the last recorded page.
          logger.error({ err: error, refreshId: lease.refreshId }, 'scan interrupted');
        })
        .then(async () => {
          hold.end();
          own.delete(lease.token);
          if (leaving.aborted) await release(lease);
          onEnded();
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
