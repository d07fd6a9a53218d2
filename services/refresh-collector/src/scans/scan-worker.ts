import type { Identifiers } from '@inventory/runtime/identifiers';
import { inSpan } from '@inventory/runtime/tracing';
import { applyFact, type SagaDeps } from '../saga/apply-fact.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { Fact } from '../saga/refresh-fact.domain.ts';
import { advance } from '../saga/refresh-saga.domain.ts';
import type { InventoryStore, WaitingLease } from './inventory-store.ts';
import { scansToHandOver } from './replica-share.domain.ts';
import { createRunningScans, type RunningScansDeps } from './running-scans.ts';
import type { ClaimedScan, ScanStore } from './scan-store.ts';
import { createWaitingLeases, type SeenLease } from './waiting-leases.ts';

export interface ScanWorkerDeps extends Omit<RunningScansDeps, 'lastKnown' | 'onEnded'> {
  readonly saga: SagaDeps;
  readonly scans: ScanStore;
  readonly inventories: InventoryStore;
  /** Name of this replica, stored with the scans it reads. */
  readonly replica: string;
  readonly scansMax: number;
  /** Pages of running scans that this replica should have at present. */
  readonly partPages: () => number;
  /** A scan has ended, for whose slot another one may wait. Most start as they are planned. */
  readonly onEnded: (mayWait: boolean) => void;
  readonly identifiers: Identifiers;
}

export type ScanWorker = ReturnType<typeof createScanWorker>;

/** A scan whose lease is opened, and whose start or resumption is being written. */
interface OpenedScan {
  readonly lease: WaitingLease;
  /** When the lease was requested. */
  readonly sentMs: number;
  /** The refresh as this replica knows it before that. */
  readonly before: Refresh | null;
  readonly fact: Fact;
  /** Null where it is not started. */
  readonly started: Promise<Refresh | null>;
}

/**
 * Runs the scans of this replica, each under the lease of its inventory. A replica that has its part
 * of all pages leaves waiting leases to the others for a second, and hands over what it has above it.
 */
export function createScanWorker(deps: ScanWorkerDeps) {
  const { inventories, scans, clock, logger, replica } = deps;
  const waitingLeases = createWaitingLeases(inventories, clock);
  const running = createRunningScans({
    ...deps,
    onEnded: () => deps.onEnded(waitingLeases.areExpected),
    lastKnown: (refreshId) => deps.saga.refreshes.cachedRefresh(refreshId),
  });
  /** Pages of the scans that are about to start, by token. */
  const reserved = new Map<string, number>();
  let taking = 0;

  const freeSlots = () => deps.scansMax - running.count - reserved.size - taking;
  const isAvailable = () => !deps.stopping.aborted && freeSlots() > 0;
  const hasItsPart = () => sumOf(reserved.values()) + running.pagesLeft >= deps.partPages();

  /** The lease first, then the scan with its next epoch: writes of the last worker are refused. */
  async function take(waiting: WaitingLease): Promise<boolean> {
    const sentMs = clock.now();
    const { refreshId } = waiting;
    const lease = { ...waiting, token: deps.identifiers.uuidV7() };
    if (!(await inventories.takeLease(lease))) return false;
    const fact = { fact: 'scan_taken', worker: replica } as const;
    const taken = await applyFact(deps.saga, refreshId, fact, 'resend');
    const epoch = taken?.step === 'changed' ? taken.refresh.scan?.epoch : undefined;
    const claimed = epoch === undefined ? null : await scans.findClaimed(refreshId, epoch);
    if (!claimed) {
      // A lease is opened before its scan is started or resumed; that of an ended scan was left
      // behind by a crash.
      const isLeft = !taken || !isOpen(taken.refresh);
      await (isLeft ? inventories.closeLease(lease) : inventories.releaseLease(lease));
      return false;
    }
    if (claimed.epoch > 2 || claimed.pages.length > 0) await logResumed(claimed, logger);
    running.run(lease, claimed, sentMs);
    return true;
  }

  /** One that fails does not stop the others; its lease waits again when it expires. */
  async function tryToTake(waiting: WaitingLease): Promise<boolean> {
    taking += 1;
    try {
      return await take(waiting);
    } catch (error) {
      logger.warn({ err: error, refresh_id: waiting.refreshId }, 'scan not taken');
      return false;
    } finally {
      taking -= 1;
    }
  }

  /** What is above the part of this replica, and without a free slot what another scan precedes. */
  function handOver(waiting: readonly SeenLease[]): void {
    const scans = running.staying();
    const isFull = freeSlots() <= 0 && scans.length === running.count;
    const overdue = isFull ? waiting.filter(({ waitsLong }) => waitsLong) : [];
    const share = { partPages: deps.partPages(), overdue, nowMs: clock.now() };
    for (const { refreshId, pagesLeft } of scansToHandOver(scans, share)) {
      running.handOver(refreshId);
      logger.info({ refresh_id: refreshId, pages_left: pagesLeft }, 'scan handed over');
    }
  }

  return {
    replica,
    /**
     * Hands over scans, then takes waiting leases, the earliest deadline first, while slots are free;
     * true when it took one.
     */
    async takeWaiting(): Promise<boolean> {
      if (deps.stopping.aborted) return false;
      const waiting = await waitingLeases.find(Math.max(1, deps.scansMax));
      handOver(waiting);
      let taken = false;
      for (const lease of waiting) {
        const isOurs = isAvailable() && (lease.waitsLong || !hasItsPart());
        taken = (isOurs && (await tryToTake(lease))) || taken;
      }
      return taken;
    },
    /**
     * A token for the lease of a scan of this many pages, to be opened for this worker; null when no
     * slot is free, and when this replica has its part.
     */
    reserveSlot(pages: number): string | null {
      if (!isAvailable() || hasItsPart()) {
        waitingLeases.expect();
        return null;
      }
      const token = deps.identifiers.uuidV7();
      reserved.set(token, pages);
      return token;
    },
    /**
     * Runs the scan whose lease was opened with a reserved token, a new one while its start is written;
     * `null` releases the slot.
     */
    async startScan(token: string, opened: OpenedScan | null): Promise<void> {
      try {
        const claimed = opened && (newScanOf(opened) ?? (await resumedScan(scans, opened)));
        if (claimed) running.run({ ...opened.lease, token }, claimed, opened.sentMs);
      } finally {
        reserved.delete(token);
      }
    },
    /** Ends a scan that was parked or whose refresh ended. */
    stopScan: running.stop,
    get running(): number {
      return running.count;
    },
    /** Resolves when every scan of this replica has ended or was released. */
    idle: running.idle,
  };
}

function logResumed(
  { refresh, epoch }: ClaimedScan,
  logger: Pick<ScanWorkerDeps['logger'], 'info'>,
): Promise<void> {
  return inSpan({ name: 'resume scan', parent: refresh.trace }, async () =>
    logger.info({ refresh_id: refresh.refreshId, epoch }, 'scan resumed'),
  );
}

/** A new scan as it will be; null where that depends on what is stored. */
function newScanOf({ before, fact, started: starting }: OpenedScan): ClaimedScan | null {
  if (before === null || fact.fact !== 'scan_started') return null;
  const started = advance(before, fact);
  if (started.step !== 'changed' || started.next.scan === null) return null;
  const { next: refresh } = started;
  return { refresh, epoch: started.next.scan.epoch, pages: [], starting };
}

async function resumedScan(scans: ScanStore, { started }: OpenedScan): Promise<ClaimedScan | null> {
  const refresh = await started.catch(() => null);
  return refresh?.scan ? await scans.findClaimed(refresh.refreshId, refresh.scan.epoch) : null;
}

function sumOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, number) => sum + number, 0);
}

function isOpen({ phase }: Refresh): boolean {
  return phase === 'queued' || phase === 'collecting';
}
