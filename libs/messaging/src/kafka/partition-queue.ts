import { monotonicNow } from '@inventory/runtime/clock';
import type { Semaphore } from '@inventory/runtime/semaphore';
import { pause } from '@inventory/runtime/wait';
import type { PartitionWork, PositionedRecord, SliceResult } from '../partition-work.ts';

export interface FetchedRecord extends PositionedRecord {
  readonly writtenAtMs: number;
}

/** How far a partition is behind. */
export interface PartitionProgress {
  /** Records that are not handled, including those not fetched yet. */
  readonly lag: number;
  /** When the oldest waiting record was written; null when none waits. */
  readonly oldestAtMs: number | null;
}

export interface PartitionQueueOptions {
  readonly work: PartitionWork;
  /** Shared by the queues of a consumer: limits how many are handled concurrently. */
  readonly semaphore: Semaphore;
  /** Waits before a failed record is retried. */
  readonly retryPause: (failures: number, signal: AbortSignal) => Promise<void>;
  /** Everything up to and including this offset has a durable effect. */
  readonly finished: (lastOffset: string) => void;
  readonly flooded: () => void;
  /** Reports one slice; `startMs` is of the monotonic clock. */
  readonly tried: (slice: {
    readonly records: number;
    readonly startMs: number;
    readonly result: SliceResult['result'];
  }) => void;
  readonly progressed: (progress: PartitionProgress) => void;
}

/** The records of one partition that were fetched and are not handled yet, in order. */
export interface PartitionQueue {
  /**
   * Enqueues records; `behind` is how many after them are not fetched yet. False when the queue
   * is closed.
   */
  add(records: readonly FetchedRecord[], behind: number): boolean;
  /** Resolves when the queue has capacity. */
  waitForCapacity(): Promise<void>;
  /** Whether the queue has capacity, after `timeoutMs` at the latest. */
  hasCapacityWithin(timeoutMs: number): Promise<boolean>;
  /** Starts no further slice; resolves when the running one has ended. */
  close(): Promise<void>;
}

/** One fetch of a partition may wait while the one before it is handled. */
const waitingBytesMax = 256 * 1024;

export function openPartitionQueue(options: PartitionQueueOptions): PartitionQueue {
  const { work, semaphore } = options;
  const closed = new AbortController();
  let waiting: FetchedRecord[] = [];
  let behindWaiting = 0;
  let waitingBytes = 0;
  let running: Promise<void> | undefined;
  let capacity = Promise.withResolvers<void>();

  const hasCapacity = () => waitingBytes <= waitingBytesMax || closed.signal.aborted;

  function drop(count: number): void {
    for (const { record } of waiting.splice(0, count)) waitingBytes -= record.value.length;
    if (!hasCapacity()) return;
    capacity.resolve();
    capacity = Promise.withResolvers();
  }

  function reportProgress(): void {
    options.progressed({
      lag: Math.max(0, behindWaiting) + waiting.length,
      oldestAtMs: waiting[0]?.writtenAtMs ?? null,
    });
  }

  function clear(): void {
    waiting = [];
    waitingBytes = 0;
    drop(0);
  }

  /** Resolves with how often the records at the head have failed by now. */
  async function handleSlice(): Promise<number> {
    const slice = waiting.slice(0, work.sliceMax);
    const startMs = monotonicNow();
    const result = await work.handle(slice);
    options.tried({ records: slice.length, startMs, result: result.result });
    switch (result.result) {
      case 'done':
        options.finished(result.lastOffset);
        drop(slice.length);
        reportProgress();
        return 0;
      case 'retry':
        return result.failures;
      case 'flooded':
        closed.abort();
        clear();
        options.flooded();
        return 0;
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0 && !closed.signal.aborted) {
      let failures = 0;
      await semaphore.run(async () => {
        if (!closed.signal.aborted) failures = await handleSlice();
      });
      if (failures > 0) await options.retryPause(failures, closed.signal);
    }
    running = undefined;
  }

  return {
    add(records, behind) {
      if (closed.signal.aborted) return false;
      for (const item of records) {
        waiting.push(item);
        waitingBytes += item.record.value.length;
      }
      behindWaiting = behind;
      reportProgress();
      running ??= run();
      return true;
    },
    waitForCapacity: async () => {
      while (!hasCapacity()) await capacity.promise;
    },
    async hasCapacityWithin(timeoutMs) {
      if (hasCapacity()) return true;
      const waited = new AbortController();
      await Promise.race([capacity.promise, pause(timeoutMs, waited.signal)]);
      waited.abort();
      return hasCapacity();
    },
    async close() {
      closed.abort();
      await running;
      clear();
    },
  };
}
