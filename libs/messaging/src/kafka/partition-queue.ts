import { monotonicNow } from '@inventory/runtime/clock';
import type { Semaphore } from '@inventory/runtime/semaphore';
import { pause } from '@inventory/runtime/wait';
import { createPartitionSchedule, type PartitionSchedule } from '../partition-schedule.ts';
import type { PartitionWork, PositionedRecord, SliceResult } from '../partition-work.ts';

/** How far a partition lags. */
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
  /** Waits before postponed records are handled again. */
  readonly postponePause: (signal: AbortSignal) => Promise<void>;
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

/** So far into the backlog of one key the records of others are seen, and are round-robin. */
const waitingBytesMax = 1024 * 1024;

/** The fetched records of one partition that are not handled yet; their keys are round-robin. */
export type PartitionQueue = ReturnType<typeof openPartitionQueue>;

export function openPartitionQueue(options: PartitionQueueOptions) {
  const { work, semaphore } = options;
  const closed = new AbortController();
  let schedule = createPartitionSchedule<PositionedRecord>();
  /** The slice that is handled next or again. */
  let taken: PositionedRecord[] = [];
  let unfetchedAfter = 0;
  let running: Promise<void> | undefined;
  const capacity = createByteCapacity(waitingBytesMax);

  function finish(slice: readonly PositionedRecord[], postponed: ReadonlySet<string>): void {
    const { late = [], finished = [] } = splitSlice(slice, postponed);
    const finishedUntil = schedule.finish(finished);
    if (late.length > 0) postpone(late);
    capacity.give(bytesOf(finished));
    if (finishedUntil !== null) options.finished(finishedUntil);
    reportProgress();
  }

  /** Puts records back, with those after them of the same keys, until the pause is over. */
  function postpone(records: readonly PositionedRecord[]): void {
    const keys = new Set(records.map(({ record }) => record.key));
    const isOfSameKey = ({ record }: PositionedRecord) => keys.has(record.key);
    schedule.postpone([...records, ...taken.filter(isOfSameKey)]);
    taken = taken.filter((one) => !isOfSameKey(one));
    void options.postponePause(closed.signal).then(() => {
      schedule.resume();
      start();
    });
  }

  const reportProgress = () => options.progressed(progressOf(schedule, unfetchedAfter));

  function clear(): void {
    schedule = createPartitionSchedule();
    taken = [];
    capacity.end();
  }

  /** Resolves with how often the records taken have failed by now. */
  async function handleSlice(): Promise<number> {
    if (taken.length === 0) taken = schedule.takeSlice(work.sliceMax);
    const slice = taken.slice(0, work.sliceMax);
    const startMs = monotonicNow();
    const result = await work.handle(slice);
    options.tried({ records: slice.length, startMs, result: result.result });
    switch (result.result) {
      case 'done':
        taken = taken.slice(slice.length);
        finish(slice, result.postponed);
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

  const hasWork = () => (taken.length > 0 || schedule.hasWaiting) && !closed.signal.aborted;

  function start(): void {
    if (running === undefined && hasWork()) running = run();
  }

  async function run(): Promise<void> {
    while (hasWork()) {
      let failures = 0;
      await semaphore.run(async () => {
        if (!closed.signal.aborted) failures = await handleSlice();
      });
      if (failures > 0) await options.retryPause(failures, closed.signal);
    }
    running = undefined;
  }

  return {
    /**
     * Enqueues records; `unfetched` is how many after them are not fetched yet. False when the queue
     * is closed.
     */
    add(records: readonly PositionedRecord[], unfetched: number): boolean {
      if (closed.signal.aborted) return false;
      schedule.add(records);
      capacity.take(bytesOf(records));
      unfetchedAfter = unfetched;
      reportProgress();
      start();
      return true;
    },
    /** Resolves when the queue has capacity. */
    waitForCapacity: capacity.wait,
    /** Whether the queue has capacity, after `timeoutMs` at the latest. */
    hasCapacityWithin: capacity.isAvailableWithin,
    /** Starts no further slice; resolves when the running one has ended. */
    async close(): Promise<void> {
      closed.abort();
      await running;
      clear();
    },
  };
}

/** Capacity is available up to this number of bytes, and always after the end. */
function createByteCapacity(bytesMax: number) {
  let used = 0;
  let freed = Promise.withResolvers<void>();
  const isAvailable = () => used <= bytesMax;

  function free(bytes: number): void {
    used -= bytes;
    if (!isAvailable()) return;
    freed.resolve();
    freed = Promise.withResolvers();
  }

  async function wait(): Promise<void> {
    while (!isAvailable()) await freed.promise;
  }

  return {
    take(bytes: number): void {
      used += bytes;
    },
    give: free,
    end: () => free(Number.POSITIVE_INFINITY),
    wait,
    async isAvailableWithin(timeoutMs: number): Promise<boolean> {
      if (isAvailable()) return true;
      const waited = new AbortController();
      await Promise.race([wait(), pause(timeoutMs, waited.signal)]);
      waited.abort();
      return isAvailable();
    },
  };
}

function progressOf(
  { unfinished, oldest }: PartitionSchedule<PositionedRecord>,
  unfetched: number,
): PartitionProgress {
  return { lag: Math.max(0, unfetched) + unfinished, oldestAtMs: oldest?.writtenAtMs ?? null };
}

function splitSlice(slice: readonly PositionedRecord[], postponed: ReadonlySet<string>) {
  return Object.groupBy(slice, ({ position }) =>
    postponed.has(position.offset) ? 'late' : 'finished',
  );
}

function bytesOf(records: readonly PositionedRecord[]): number {
  return records.reduce((sum, { record }) => sum + record.value.length, 0);
}
