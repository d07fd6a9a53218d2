import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { type Backoff, randomBetween } from '@inventory/runtime/backoff';
import { monotonicNow } from '@inventory/runtime/clock';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import { inSpan } from '@inventory/runtime/tracing';
import {
  type StartedWorker,
  type StartWorkerDeps,
  startWorker,
} from '@inventory/work/start-worker';
import type { Pending } from '@inventory/work/work-queue';
import type { WorkResult } from '@inventory/work/worker';
import { recordAssembly } from '../metrics.ts';
import {
  type ScanSize,
  sizeOf,
  type WaitingScan,
  type WaitingScans,
} from '../storage/waiting-scans.ts';
import { work } from '../work.ts';
import { type AssembleScanDeps, type AssemblyEnd, assembleScan } from './assemble-scan.ts';
import { type DropStagedChunksDeps, dropStagedChunks } from './decide-scan.ts';

export interface AssembliesDeps {
  readonly assembly: AssembleScanDeps;
  readonly waiting: WaitingScans;
  readonly dropping: DropStagedChunksDeps;
  /** Small scans assembled at once by this process. */
  readonly smallScansMax: number;
}

export interface Assemblies {
  /** A place for a scan of so many pages; null while none is free. */
  reserve(pageCount: number): ReturnType<StartedWorker<WaitingScan>['reserve']>;
  /** There may be a scan to assemble. */
  wake(): void;
}

interface PostponedTry {
  readonly result: 'postponed';
  readonly why: 'inventory_busy' | 'pages_missing' | 'interrupted' | 'store_failed';
}

const busyPauseMs = 300;
const storeFailedPauseMs = 2_000;
const missingPause: Backoff = { firstMs: 1_000, maxMs: 10_000 };

/**
 * Assembles the completed scans of all replicas. A large scan needs memory for all its assets: one
 * at a time, beside small ones.
 */
export function startAssemblies(deps: AssembliesDeps, worker: StartWorkerDeps): Assemblies {
  const { assembly, waiting } = deps;
  const start = (
    row: typeof work.smallScans | typeof work.largeScans,
    size: ScanSize,
    places: number,
  ) =>
    startWorker<WaitingScan>(
      {
        ...row,
        queue: waiting.queues[size],
        places,
        leaseMs: assembly.settings.leaseMs,
        work: (claimed, signal) => assembleOne(deps, claimed, signal),
      },
      worker,
    );
  const workers: Record<ScanSize, StartedWorker<WaitingScan>> = {
    small: start(work.smallScans, 'small', deps.smallScansMax),
    large: start(work.largeScans, 'large', work.largeScans.places),
  };
  return {
    reserve: (pageCount) => workers[sizeOf(pageCount)].reserve(),
    wake() {
      workers.small.wake();
      workers.large.wake();
    },
  };
}

async function assembleOne(
  { assembly, dropping }: AssembliesDeps,
  claimed: Pending<WaitingScan>,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { scan, scopeKey, trace } = claimed.item;
  const { scanId, refreshId } = scan;
  const attributes = { 'inventory.scan_id': scanId };
  return await inSpan({ name: 'assemble revision', parent: trace, attributes }, async () => {
    const end = await tryOne(assembly, claimed, signal);
    if (end.result === 'postponed') return pauseMsAfter(assembly, claimed.item, end.why);
    if (!end.isReported) {
      await assembly.sendOutcome({ scanId, refreshId, result: end.decision }, scopeKey);
      await dropStagedChunks(dropping, scanId);
    }
    // The write that decided the scan ended its work.
    return 'settled';
  });
}

/** A fault is thrown: it is the only end that counts as a try. */
async function tryOne(
  assembly: AssembleScanDeps,
  { item, tries, ownerBefore }: Pending<WaitingScan>,
  signal: AbortSignal,
): Promise<AssemblyEnd | PostponedTry> {
  const startMs = monotonicNow();
  const record = (end: Parameters<typeof recordAssembly>[1]) =>
    recordAssembly((monotonicNow() - startMs) / 1_000, end);
  try {
    const claimed = { ...item, tries, wasClaimed: ownerBefore !== null };
    const end = await assembleScan(assembly, claimed, signal);
    record(end);
    return end;
  } catch (error) {
    const why = endOfError(error);
    record({ why });
    if (why === 'fault') throw error;
    return { result: 'postponed', why };
  }
}

function endOfError(error: unknown): 'interrupted' | 'store_failed' | 'fault' {
  if (error instanceof LeaseLost) return 'interrupted';
  return isMongoUnavailable(error) ? 'store_failed' : 'fault';
}

function pauseMsAfter(
  { clock, settings }: AssembleScanDeps,
  { receivedAtMs }: WaitingScan,
  why: PostponedTry['why'],
): number {
  if (why === 'interrupted') return 0;
  if (why === 'inventory_busy') return busyPauseMs;
  if (why === 'store_failed') return randomBetween(storeFailedPauseMs / 2, storeFailedPauseMs);
  const waitedMs = clock.now() - receivedAtMs;
  const { firstMs, maxMs } = missingPause;
  const pauseMs = Math.min(maxMs, Math.max(firstMs, waitedMs / 2));
  return Math.min(pauseMs, Math.max(0, settings.missingPagesWaitMs - waitedMs));
}
