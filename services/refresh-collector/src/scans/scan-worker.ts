import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import type { PublishedPlan } from '../plan/published-plan.domain.ts';
import { applyFact } from '../saga/apply-fact.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { Fact } from '../saga/refresh-fact.domain.ts';
import { advance } from '../saga/refresh-saga.domain.ts';
import type { InventoryStore, WaitingLease } from './inventory-store.ts';
import { scansToHandOver } from './replica-share.domain.ts';
import { createRunningScans, type RunScan } from './running-scans.ts';
import type { ClaimedScan, ScanStore } from './scan-store.ts';
import type { Scans } from './scans.ts';

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
export function createScanWorker(
  scans: Scans,
  run: RunScan,
  /** A scan has ended, for whose slot another one may wait. Most start as they are planned. */
  onEnded: (mayWait: boolean) => void,
) {
  const { saga, store, inventories, planner, config, identifiers, replica, stopping } = scans;
  const { clock, logger } = saga;
  const { scansMax } = config.scheduling;
  const waitingLeases = createWaitingLeases(inventories, clock);
  const running = createRunningScans(scans, run, () => onEnded(waitingLeases.areExpected));
  /** Pages of the scans that are about to start, by token. */
  const reserved = new Map<string, number>();
  let taking = 0;

  const freeSlots = () => scansMax - running.count - reserved.size - taking;
  const isAvailable = () => !stopping.aborted && freeSlots() > 0;
  const hasItsPart = () => sumOf(reserved.values()) + running.pagesLeft >= partPages(planner.plan);

  /** The lease first, then the scan with its next epoch: writes of the last worker are refused. */
  async function take(waiting: WaitingLease): Promise<boolean> {
    const sentMs = clock.now();
    const { refreshId } = waiting;
    const lease = { ...waiting, token: identifiers.uuidV7() };
    if (!(await inventories.takeLease(lease))) return false;
    const fact = { fact: 'scan_taken', worker: replica } as const;
    const taken = await applyFact(saga, refreshId, fact, 'resend');
    const epoch = taken?.step === 'changed' ? taken.refresh.scan?.epoch : undefined;
    const claimed = epoch === undefined ? null : await store.findClaimed(refreshId, epoch);
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
      logger.warn({ err: error, refreshId: waiting.refreshId }, 'scan not taken');
      return false;
    } finally {
      taking -= 1;
    }
  }

  /** What is above the part of this replica, and without a free slot what another scan precedes. */
  function handOver(waiting: readonly SeenLease[]): void {
    const staying = running.staying();
    const isFull = freeSlots() <= 0 && staying.length === running.count;
    const overdue = isFull ? waiting.filter(({ waitsLong }) => waitsLong) : [];
    const share = { partPages: partPages(planner.plan), overdue, nowMs: clock.now() };
    for (const { refreshId, pagesLeft } of scansToHandOver(staying, share)) {
      running.handOver(refreshId);
      logger.info({ refreshId, pagesLeft }, 'scan handed over');
    }
  }

  return {
    replica,
    /**
     * Hands over scans, then takes waiting leases, the earliest deadline first, while slots are free;
     * true when it took one.
     */
    async takeWaiting(): Promise<boolean> {
      if (stopping.aborted) return false;
      const waiting = await waitingLeases.find(Math.max(1, scansMax));
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
      const token = identifiers.uuidV7();
      reserved.set(token, pages);
      return token;
    },
    /**
     * Runs the scan whose lease was opened with a reserved token, a new one while its start is written;
     * `null` releases the slot.
     */
    async startScan(token: string, opened: OpenedScan | null): Promise<void> {
      try {
        const claimed = opened && (newScanOf(opened) ?? (await resumedScan(store, opened)));
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

/** Pages of running scans that a replica should have at present. */
function partPages({ replicas, pagesPerReplica, typicalPages }: PublishedPlan): number {
  // One scan above it: no slot waits because the plan is a second old.
  return replicas > 1 ? pagesPerReplica + typicalPages : Number.POSITIVE_INFINITY;
}

function logResumed({ refresh, epoch }: ClaimedScan, logger: Logger): Promise<void> {
  return inSpan({ name: 'resume scan', parent: refresh.trace }, async () =>
    logger.info({ refreshId: refresh.refreshId, epoch }, 'scan resumed'),
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

async function resumedScan(store: ScanStore, { started }: OpenedScan): Promise<ClaimedScan | null> {
  const refresh = await started.catch(() => null);
  return refresh?.scan ? await store.findClaimed(refresh.refreshId, refresh.scan.epoch) : null;
}

function sumOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, number) => sum + number, 0);
}

function isOpen({ phase }: Refresh): boolean {
  return phase === 'queued' || phase === 'collecting';
}

/** A lease without a worker, as this replica sees it. */
interface SeenLease extends WaitingLease {
  readonly deadlineMs: number;
  /** The replicas below their part had the time to take it: now any replica does. */
  readonly waitsLong: boolean;
}

const waitMaxMs = 1_000;

/** Waiting leases, and since when this replica sees them: no two clocks are compared. */
function createWaitingLeases(inventories: InventoryStore, clock: Clock) {
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
    /** Whether the last read found one, or one is expected since. */
    get areExpected(): boolean {
      return areExpected;
    },
  };
}
