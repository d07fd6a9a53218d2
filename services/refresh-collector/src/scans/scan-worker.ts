import type { Clock } from '@inventory/runtime/clock';
import { type HeldLease, holdLease } from '@inventory/runtime/hold-lease';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import { applyFact, type SagaDeps } from '../refreshes/apply-fact.ts';
import type { InventoryLease, InventoryStore, WaitingLease } from '../refreshes/inventory-store.ts';
import type { Refresh } from '../refreshes/refresh.domain.ts';
import type { ClaimedScan, ScanStore } from './scan-store.ts';

export interface ScanWorkerDeps {
  readonly saga: SagaDeps;
  readonly scans: ScanStore;
  readonly inventories: InventoryStore;
  /** Reads a scan to its end, or until its lease is lost. */
  readonly run: (scan: ClaimedScan, lease: HeldLease) => Promise<void>;
  /** Name of this replica, stored with the scans it reads. */
  readonly replica: string;
  /** Most scans of this replica at present. */
  readonly scansMax: () => number;
  readonly leaseMs: number;
  /** Aborted when the process stops: leases are then released. */
  readonly stopping: AbortSignal;
  readonly onEnded: () => void;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

/** Runs the scans of this replica, each under the lease of its inventory. */
export interface ScanWorker {
  /** Takes waiting leases while slots are free; true when it took one. */
  takeWaiting(): Promise<boolean>;
  readonly replica: string;
  /** A token for a lease to be opened for this worker; null when no slot is free. */
  reserveSlot(): string | null;
  /** Runs the scan whose lease was opened with a reserved token; `null` releases the slot. */
  startScan(token: string, opened: { lease: WaitingLease; epoch: number } | null): Promise<void>;
  /** Ends a scan that was parked or whose refresh ended. */
  stopScan(refreshId: string): void;
  readonly running: number;
  /** Resolves when every scan of this replica has ended or was released. */
  idle(): Promise<void>;
}

interface RunningScan {
  readonly refreshId: string;
  readonly held: HeldLease;
  readonly ended: Promise<void>;
}

export function createScanWorker(deps: ScanWorkerDeps): ScanWorker {
  const { inventories, scans, logger, replica } = deps;
  /** By token: this worker may take an expired lease of its own before its earlier run ended. */
  const own = new Map<string, RunningScan>();
  const reserved = new Set<string>();

  /** A scan whose lease ended takes no slot, also while its last page is in flight. */
  const running = () => [...own.values()].filter(({ held }) => !held.signal.aborted).length;
  const freeSlots = () => deps.scansMax() - running() - reserved.size;

  function run(lease: InventoryLease, claimed: ClaimedScan): void {
    const renew = () => inventories.renewLease(lease);
    const held = holdLease({ ...deps, name: 'scan leases', renew });
    const ended = deps
      .run(claimed, held)
      .catch((error: unknown) => {
        // The lease expires, and another worker resumes from the last recorded page.
        logger.error({ err: error, refresh_id: lease.refreshId }, 'scan interrupted');
      })
      .then(async () => {
        held.end();
        own.delete(lease.token);
        if (deps.stopping.aborted) await inventories.releaseLease(lease);
        deps.onEnded();
      });
    own.set(lease.token, { refreshId: lease.refreshId, held, ended });
  }

  /** The lease first, then the scan with its next epoch: writes of the last worker are refused. */
  async function take(waiting: WaitingLease): Promise<boolean> {
    const lease = { ...waiting, token: deps.identifiers.uuidV7() };
    if (!(await inventories.takeLease(lease))) return false;
    const { refreshId } = lease;
    const fact = { fact: 'scan_taken', worker: replica } as const;
    const taken = await applyFact(deps.saga, refreshId, fact, 'outbox');
    const epoch = taken?.step === 'changed' ? taken.refresh.scan?.epoch : undefined;
    const claimed = epoch === undefined ? null : await scans.findClaimed(refreshId, epoch);
    if (!claimed) {
      // A lease is opened before its scan is started or resumed; that of an ended scan was left
      // behind by a crash.
      if (taken && isOpen(taken.refresh)) await inventories.releaseLease(lease);
      else await inventories.closeLease(lease);
      return false;
    }
    if (claimed.epoch > 2 || claimed.pages.length > 0) {
      await inSpan({ name: 'resume scan', parent: claimed.trace }, async () =>
        logger.info({ refresh_id: refreshId, epoch }, 'scan lease lost, scan resumed'),
      );
    }
    run(lease, claimed);
    return true;
  }

  /** One that fails does not stop the others; its lease waits again when it expires. */
  async function tryToTake(waiting: WaitingLease): Promise<boolean> {
    try {
      return await take(waiting);
    } catch (error) {
      logger.warn({ err: error, refresh_id: waiting.refreshId }, 'scan not taken');
      return false;
    }
  }

  return {
    replica,
    async takeWaiting() {
      if (deps.stopping.aborted || freeSlots() <= 0) return false;
      const waiting = await inventories.findWaitingLeases(freeSlots());
      const taken = await Promise.all(waiting.map(tryToTake));
      return taken.some(Boolean);
    },
    reserveSlot() {
      if (deps.stopping.aborted || freeSlots() <= 0) return null;
      const token = deps.identifiers.uuidV7();
      reserved.add(token);
      return token;
    },
    async startScan(token, opened) {
      try {
        if (!opened) return;
        const { lease, epoch } = opened;
        const claimed = await scans.findClaimed(lease.refreshId, epoch);
        if (claimed) run({ ...lease, token }, claimed);
      } finally {
        reserved.delete(token);
      }
    },
    stopScan(refreshId) {
      for (const scan of own.values()) if (scan.refreshId === refreshId) scan.held.end();
    },
    get running() {
      return running();
    },
    async idle() {
      await Promise.all([...own.values()].map(({ ended }) => ended));
    },
  };
}

function isOpen({ phase }: Refresh): boolean {
  return phase === 'queued' || phase === 'collecting';
}
