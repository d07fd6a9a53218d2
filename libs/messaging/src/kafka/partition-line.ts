import { monotonicNow } from '@inventory/runtime/clock';
import type { Semaphore } from '@inventory/runtime/semaphore';
import { pause } from '@inventory/runtime/wait';
import type { PartitionWork, PositionedRecord, SliceResult } from '../partition-work.ts';

export interface FetchedRecord extends PositionedRecord {
  readonly writtenAtMs: number;
}

/** How far a partition is behind. */
export interface PartitionProgress {
  /** Records that are not handled, those that were not fetched yet included. */
  readonly lag: number;
  /** When the first record that waits here was written; null when none does. */
  readonly oldestAtMs: number | null;
}

export interface PartitionLineOptions {
  readonly work: PartitionWork;
  /** Shared by the lines of a consumer: how many are handled side by side. */
  readonly semaphore: Semaphore;
  /** Waits before a failed record is tried again. */
  readonly retryPause: (failures: number, signal: AbortSignal) => Promise<void>;
  /** Everything up to and including this offset has a durable effect. */
  readonly finished: (lastOffset: string) => void;
  readonly flooded: () => void;
  /** Records were handed over at `startMs` of the monotonic clock, and this came of it. */
  readonly tried: (slice: {
    readonly records: number;
    readonly startMs: number;
    readonly result: SliceResult['result'];
  }) => void;
  readonly progressed: (progress: PartitionProgress) => void;
}

/** The records of one partition that were fetched and are not handled yet, in their order. */
export interface PartitionLine {
  /**
   * Handles them after those that are there; `behind` them so many are not fetched yet. False when
   * the line has ended and takes nothing.
   */
  add(records: readonly FetchedRecord[], behind: number): boolean;
  /** Resolves when there is room for more. */
  short(): Promise<void>;
  /** Whether there is room for more, at the latest after `waitMs`. */
  shortWithin(waitMs: number): Promise<boolean>;
  /** Begins nothing further; resolves when what is running has ended. */
  end(): Promise<void>;
}

/** What one fetch brings of a partition may wait while the one before it is handled. */
const waitingBytesMax = 256 * 1024;

export function openPartitionLine(options: PartitionLineOptions): PartitionLine {
  const { work, semaphore } = options;
  const ended = new AbortController();
  let waiting: FetchedRecord[] = [];
  let behindWaiting = 0;
  let waitingBytes = 0;
  let running: Promise<void> | undefined;
  let shortened = Promise.withResolvers<void>();

  const isShort = () => waitingBytes <= waitingBytesMax || ended.signal.aborted;

  function drop(count: number): void {
    for (const { record } of waiting.splice(0, count)) waitingBytes -= record.value.length;
    if (!isShort()) return;
    shortened.resolve();
    shortened = Promise.withResolvers();
  }

  function tellProgress(): void {
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

  /** How often the records at the head of the line have failed by now. */
  async function handleSlice(): Promise<number> {
    const slice = waiting.slice(0, work.sliceMax);
    const startMs = monotonicNow();
    const result = await work.handle(slice);
    options.tried({ records: slice.length, startMs, result: result.result });
    switch (result.result) {
      case 'done':
        options.finished(result.lastOffset);
        drop(slice.length);
        tellProgress();
        return 0;
      case 'retry':
        return result.failures;
      case 'flooded':
        ended.abort();
        clear();
        options.flooded();
        return 0;
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0 && !ended.signal.aborted) {
      let failures = 0;
      await semaphore.run(async () => {
        if (!ended.signal.aborted) failures = await handleSlice();
      });
      if (failures > 0) await options.retryPause(failures, ended.signal);
    }
    running = undefined;
  }

  return {
    add(records, behind) {
      if (ended.signal.aborted) return false;
      for (const item of records) {
        waiting.push(item);
        waitingBytes += item.record.value.length;
      }
      behindWaiting = behind;
      tellProgress();
      running ??= run();
      return true;
    },
    short: async () => {
      while (!isShort()) await shortened.promise;
    },
    async shortWithin(waitMs) {
      if (isShort()) return true;
      const waited = new AbortController();
      await Promise.race([shortened.promise, pause(waitMs, waited.signal)]);
      waited.abort();
      return isShort();
    },
    async end() {
      ended.abort();
      await running;
      clear();
    },
  };
}
