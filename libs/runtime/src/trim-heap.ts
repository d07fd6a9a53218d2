import { Session } from 'node:inspector';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import type { Lifetime } from './lifetime.ts';
import type { Logger } from './logger.ts';
import { startPeriodicJob } from './periodic-job.ts';

/** The process since the last reading. */
export interface HeapReading {
  /** Share of the time that the event loop was busy. */
  readonly utilization: number;
  /** Memory that the heap occupies. */
  readonly occupiedBytes: number;
  readonly usedBytes: number;
}

const mebibyte = 1024 * 1024;
const idleUtilizationMax = 0.02;
const grownBytesMin = 8 * mebibyte;
/** A larger one stops the event loop for longer than a request may wait. */
const usedBytesMax = 128 * mebibyte;

/**
 * Whether to collect all garbage now: the process was idle since the last reading, and its heap has
 * grown since it was collected last.
 */
export function createTrimming(): (reading: HeapReading) => boolean {
  let trimmedBytes = 0;
  let isTrimmed = false;
  return ({ utilization, occupiedBytes, usedBytes }) => {
    if (isTrimmed) trimmedBytes = occupiedBytes;
    const isIdle = utilization < idleUtilizationMax && usedBytes <= usedBytesMax;
    isTrimmed = isIdle && occupiedBytes - trimmedBytes >= grownBytesMin;
    return isTrimmed;
  };
}

const readEveryMs = 30_000;

/**
 * Returns to the system what a busy time left in the heap: an idle process allocates so little that
 * V8 would keep the garbage, and its young generation at the size for the load, for hours. Node has
 * no other call for it than the one of its inspector; no port is opened.
 */
export function trimHeapWhenIdle(job: {
  readonly lifetime: Lifetime;
  readonly logger: Logger;
}): void {
  const isDue = createTrimming();
  let before = performance.eventLoopUtilization();
  startPeriodicJob({
    name: 'idle heap',
    intervalMs: readEveryMs,
    firstDelayMs: readEveryMs,
    ...job,
    async runOnce() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      const heap = getHeapStatistics();
      const occupiedBytes = heap.total_physical_size;
      if (isDue({ utilization, occupiedBytes, usedBytes: heap.used_heap_size })) {
        await collectGarbage();
      }
    },
  });
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    const post = promisify((method: string, done: (error: Error | null) => void) =>
      session.post(method, done),
    );
    await post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
