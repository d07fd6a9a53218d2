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
  /** This process, as it is recorded with the scans it reads. */
  readonly name: string;
  /** Scans that this replica runs at most now. */
  readonly scansMax: () => number;
  readonly leaseMs: number;
  /** Aborted when the process stops: every lease is then left to other workers. */
  readonly stopping: AbortSignal;
  readonly onEnded: () => void;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

/** Runs the scans of this replica, each under the lease of its inventory. */
export interface ScanWorker {
  /** Takes leases that wait while there is room; true when it took one. */
  round(): Promise<boolean>;
  readonly name: string;
  /** A token for a lease that is opened for this worker; null without room. Used once. */
  token(): string | null;
  /** Runs a scan whose lease was opened with a token of this worker; `null` gives the token up. */
  start(token: string, opened: { lease: WaitingLease; epoch: number } | null): Promise<void>;
  /** Ends a scan that was parked or whose refresh ended. */
  stop(refreshId: string): void;
  readonly running: number;
  /** Resolves when every scan of this replica has ended or was left. */
  idle(): Promise<void>;
}

interface RunningScan {
  readonly refreshId: string;
  readonly held: HeldLease;
  readonly ended: Promise<void>;
}

export function createScanWorker(deps: ScanWorkerDeps): ScanWorker {
  const { inventories, scans, logger, name } = deps;
  /** By token: a lease that this worker let expire may come back to it before its old run ended. */
  const own = new Map<string, RunningScan>();
  const reserved = new Set<string>();

  /** The last page of a scan that ended may still be on its way: it takes no place of others. */
  const running = () => [...own.values()].filter(({ held }) => !held.signal.aborted).length;
  const room = () => deps.scansMax() - running() - reserved.size;

  function run(lease: InventoryLease, claimed: ClaimedScan): void {
    const renew = () => inventories.renew(lease);
    const held = holdLease({ ...deps, name: 'scan leases', renew });
    const ended = deps
      .run(claimed, held)
      .catch((error: unknown) => {
        // The lease expires and another worker reads on from the last recorded page.
        logger.error({ err: error, refresh_id: lease.refreshId }, 'scan interrupted');
      })
      .then(async () => {
        held.end();
        own.delete(lease.token);
        if (deps.stopping.aborted) await inventories.letGo(lease);
        deps.onEnded();
      });
    own.set(lease.token, { refreshId: lease.refreshId, held, ended });
  }

  /** The inventory first, then the scan: what the last worker still writes is refused. */
  async function take(waiting: WaitingLease): Promise<boolean> {
    const lease = { ...waiting, token: deps.identifiers.uuidV7() };
    if (!(await inventories.take(lease))) return false;
    const { refreshId } = lease;
    const fact = { fact: 'scan_taken', worker: name } as const;
    const taken = await applyFact(deps.saga, refreshId, fact, 'outbox');
    const epoch = taken?.step === 'changed' ? taken.refresh.scan?.epoch : undefined;
    const claimed = epoch === undefined ? null : await scans.find(refreshId, epoch);
    if (!claimed) {
      // A lease is opened just before its scan is started or resumed; one of a scan that ended was
      // left behind by a worker that died.
      if (taken && isOpen(taken.refresh)) await inventories.letGo(lease);
      else await inventories.close(lease);
      return false;
    }
    if (claimed.epoch > 2 || claimed.pages.length > 0) {
      await inSpan({ name: 'take over scan', parent: claimed.trace }, async () =>
        logger.info({ refresh_id: refreshId, epoch }, 'scan taken over'),
      );
    }
    run(lease, claimed);
    return true;
  }

  return {
    name,
    async round() {
      if (deps.stopping.aborted || room() <= 0) return false;
      const waiting = await inventories.waiting(room());
      const taken = await Promise.all(waiting.map(take));
      return taken.some(Boolean);
    },
    token() {
      if (deps.stopping.aborted || room() <= 0) return null;
      const token = deps.identifiers.uuidV7();
      reserved.add(token);
      return token;
    },
    async start(token, opened) {
      try {
        if (!opened) return;
        const { lease, epoch } = opened;
        const claimed = await scans.find(lease.refreshId, epoch);
        if (claimed) run({ ...lease, token }, claimed);
      } finally {
        reserved.delete(token);
      }
    },
    stop(refreshId) {
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
