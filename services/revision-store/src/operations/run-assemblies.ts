import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { type Backoff, jitteredDelayMs } from '@inventory/runtime/backoff';
import { monotonicNow } from '@inventory/runtime/clock';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { type PeriodicJob, startPeriodicJob } from '@inventory/runtime/periodic-job';
import { inSpan } from '@inventory/runtime/tracing';
import { pause } from '@inventory/runtime/wait';
import { recordAssembly } from '../metrics.ts';
import type { ClaimedScan } from '../storage/scan-queue.ts';
import { type AssembleScanDeps, type AssemblyEnd, assembleScan } from './assemble-scan.ts';
import { type DropStagedChunksDeps, dropStagedChunks } from './drop-staged-chunks.ts';

export interface AssembliesDeps {
  readonly assembly: AssembleScanDeps;
  readonly dropping: DropStagedChunksDeps;
  /** Small scans assembled at once by this process. */
  readonly smallScansMax: number;
  /** When it begins to close, running scans are released at once and none is started. */
  readonly lifetime: Lifetime;
}

/** A free slot for a scan that was just received: it is used or released. */
export interface AssemblySlot {
  /** Until then the scan has to be hidden from other workers. */
  readonly untilMs: number;
  run(scan: ClaimedScan): void;
  release(): void;
}

export interface Assemblies {
  /** A slot for a scan of so many pages; null while none is free. */
  reserve(pageCount: number): AssemblySlot | null;
  /** There may be a scan to assemble. */
  wake(): void;
}

interface PostponedTry {
  readonly result: 'postponed';
  readonly why: 'inventory_busy' | 'pages_missing' | 'interrupted' | 'store_failed' | 'fault';
}
type TryEnd = AssemblyEnd | PostponedTry;

/** A large scan needs memory for all its assets: one at a time, beside small ones. */
const smallScanPagesMax = 8;
const sizeClasses = (smallScansMax: number) => [
  { pagesMin: 0, pagesMax: smallScanPagesMax, slots: smallScansMax },
  { pagesMin: smallScanPagesMax + 1, pagesMax: Number.MAX_SAFE_INTEGER, slots: 1 },
];

const intervalMs = 1_000;
const busyDelayMs = 300;
const missingBackoff: Backoff = { firstMs: 1_000, maxMs: 10_000 };
const failureBackoff: Backoff = { firstMs: 500, maxMs: 30_000 };

/** Takes completed scans one by one and assembles them; replicas share them by their claims. */
export function startAssemblies(deps: AssembliesDeps): Assemblies {
  const { assembly, lifetime } = deps;
  const { queue, clock, settings, logger } = assembly;
  const stopping = new AbortController();
  const interrupt = (): void => stopping.abort(new LeaseLost());
  lifetime.signal.addEventListener('abort', interrupt, { once: true });
  const running = new Set<Promise<void>>();
  lifetime.defer('assemblies', async () => {
    await Promise.all(running);
  });
  const open = sizeClasses(deps.smallScansMax).map((size) => ({ ...size, taken: 0 }));
  type SizeClass = (typeof open)[number];

  async function claimDue(sizeClass: SizeClass): Promise<void> {
    const limit = sizeClass.slots - sizeClass.taken;
    if (limit <= 0) return;
    const due = await queue.findDueScans({ nowMs: clock.now(), limit, ...sizeClass });
    for (const scan of due) {
      if (!(await queue.claimScan(scan, clock.now() + settings.leaseMs))) continue;
      sizeClass.taken += 1;
      startIn(sizeClass, scan);
    }
  }

  /** The scan's slot is taken already. */
  function startIn(sizeClass: SizeClass, scan: ClaimedScan): void {
    const run = runOne(deps, scan, stopping.signal).then((delayMs) => {
      // Only where no slot was free may another scan wait for this one.
      if (sizeClass.taken >= sizeClass.slots) job.wake();
      sizeClass.taken -= 1;
      running.delete(run);
      if (delayMs > 0) void pause(delayMs, stopping.signal).then(job.wake);
    });
    running.add(run);
  }

  const job: PeriodicJob = startPeriodicJob({
    name: 'assemblies',
    intervalMs,
    lifetime,
    logger,
    runOnce: async () => {
      for (const sizeClass of open) await claimDue(sizeClass);
    },
  });

  return {
    reserve(pageCount) {
      const sizeClass = open.find(({ pagesMax }) => pageCount <= pagesMax);
      if (!sizeClass || sizeClass.taken >= sizeClass.slots || stopping.signal.aborted) return null;
      sizeClass.taken += 1;
      return {
        untilMs: clock.now() + settings.leaseMs,
        run: (scan) => startIn(sizeClass, scan),
        release: () => {
          sizeClass.taken -= 1;
        },
      };
    },
    wake: () => job.wake(),
  };
}

/**
 * Resolves to the delay of the scan in milliseconds. Never rejects: the scan is decided, released,
 * or due again when its claim expires.
 */
async function runOne(
  { assembly, dropping }: AssembliesDeps,
  due: ClaimedScan,
  stopping: AbortSignal,
): Promise<number> {
  const { scanId } = due.scan;
  const attributes = { 'inventory.scan_id': scanId };
  const startMs = monotonicNow();
  try {
    return await inSpan({ name: 'assemble revision', parent: due.trace, attributes }, async () => {
      const end = await tryOne(assembly, due, stopping);
      recordAssembly((monotonicNow() - startMs) / 1_000, end);
      if (end.result === 'postponed') return postpone(assembly, due, end.why);
      await assembly.sendOutcome({ scanId, refreshId: due.scan.refreshId, result: end.decision });
      await dropStagedChunks(dropping, scanId);
      return 0;
    });
  } catch (error) {
    assembly.logger.warn({ err: error, scan_id: scanId }, 'scan left to a later try');
    return assembly.settings.leaseMs;
  }
}

async function tryOne(
  assembly: AssembleScanDeps,
  due: ClaimedScan,
  stopping: AbortSignal,
): Promise<TryEnd> {
  try {
    return await assembleScan(assembly, due, stopping);
  } catch (error) {
    if (error instanceof LeaseLost) return { result: 'postponed', why: 'interrupted' };
    const context = { err: error, scan_id: due.scan.scanId, tries: due.tries };
    assembly.logger.error(context, 'assembly failed');
    return { result: 'postponed', why: isMongoUnavailable(error) ? 'store_failed' : 'fault' };
  }
}

async function postpone(
  { queue, clock, settings }: AssembleScanDeps,
  due: ClaimedScan,
  why: PostponedTry['why'],
): Promise<number> {
  const nowMs = clock.now();
  const delayMs: Record<typeof why, number> = {
    inventory_busy: busyDelayMs,
    interrupted: 0,
    store_failed: jitteredDelayMs(failureBackoff, due.claims),
    fault: jitteredDelayMs(failureBackoff, due.tries),
    pages_missing: Math.min(
      jitteredDelayMs(missingBackoff, due.claims),
      Math.max(0, due.receivedAtMs + settings.missingPagesWaitMs - nowMs),
    ),
  };
  await queue.postponeScan(due.scan.scanId, nowMs + delayMs[why], why !== 'fault');
  return delayMs[why];
}
