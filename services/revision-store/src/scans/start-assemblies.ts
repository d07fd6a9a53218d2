import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { type Backoff, randomBetween } from '@inventory/runtime/backoff';
import { monotonicNow } from '@inventory/runtime/clock';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { ProcessContext } from '@inventory/runtime/process-context';
import { inSpan } from '@inventory/runtime/tracing';
import { type StartedWorker, startWorker } from '@inventory/work/start-worker';
import type { Pending } from '@inventory/work/work-queue';
import type { WorkResult } from '@inventory/work/worker';
import { recordAssembly } from '../metrics.ts';
import { type AssemblySize, sizeOf, type WaitingScan } from '../storage/waiting-scans.ts';
import { work } from '../work.ts';
import { type AssemblyEnd, assembleScan } from './assemble-scan.ts';
import { dropStagedChunks } from './decide-scan.ts';
import type { Scanning } from './open-scanning.ts';

export interface Assemblies {
  /** A slot for a scan of so many pages; null while none is free. */
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
export function startAssemblies(scanning: Scanning, context: ProcessContext): Assemblies {
  const { waiting, settings } = scanning;
  const start = (
    row: typeof work.smallScans | typeof work.largeScans,
    size: AssemblySize,
    slots: number,
  ) =>
    startWorker<WaitingScan>(
      {
        ...row,
        queue: waiting.queues[size],
        slots,
        leaseMs: settings.leaseMs,
        work: (claimed, signal) => assembleOne(scanning, claimed, signal),
      },
      context,
    );
  const workers: Record<AssemblySize, StartedWorker<WaitingScan>> = {
    small: start(work.smallScans, 'small', settings.smallScansMax),
    large: start(work.largeScans, 'large', work.largeScans.slots),
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
  scanning: Scanning,
  claimed: Pending<WaitingScan>,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { scan, scopeKey, trace } = claimed.item;
  const { scanId, refreshId } = scan;
  const attributes = { 'inventory.scan_id': scanId };
  return await inSpan({ name: 'assemble revision', parent: trace, attributes }, async () => {
    const end = await tryOne(scanning, claimed, signal);
    if (end.result === 'postponed') return pauseMsAfter(scanning, claimed.item, end.why);
    if (!end.isReported) {
      await scanning.sendOutcome({ scanId, refreshId, result: end.decision }, scopeKey);
      await dropStagedChunks(scanning, scanId);
    }
    // The write that decided the scan ended its work.
    return 'settled';
  });
}

/** A fault is thrown: it is the only end that counts as a try. */
async function tryOne(
  scanning: Scanning,
  { item, tries, ownerBefore }: Pending<WaitingScan>,
  signal: AbortSignal,
): Promise<AssemblyEnd | PostponedTry> {
  const startMs = monotonicNow();
  const record = (end: Parameters<typeof recordAssembly>[1]) =>
    recordAssembly((monotonicNow() - startMs) / 1_000, end);
  try {
    const claimed = { ...item, tries, wasClaimed: ownerBefore !== null };
    const end = await assembleScan(scanning, claimed, signal);
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
  { clock, settings }: Scanning,
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
