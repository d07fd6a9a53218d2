import { type Backoff, doubledDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { countClaim, countFailure, observeWork } from './work-metrics.ts';
import type { Pending, WorkQueue } from './work-queue.ts';

/**
 * `done` ends it; with `later` it is due again after its pause, as it is after an error and a crash.
 * A number is a pause in milliseconds, after a claim that does not count.
 */
export type WorkResult = 'done' | 'later' | number;

/** One kind of pending work. */
export interface WorkKind<Item> {
  /** Letters and spaces: it is a label of the metrics. */
  readonly name: string;
  readonly queue: Pick<WorkQueue<Item>, 'findDue' | 'claim' | 'postpone' | 'complete'>;
  /** Items that one replica works on at a time. */
  readonly places: number;
  /** Pause from a claim to the next one, by claims. */
  readonly again: Backoff;
  /** The time that the work may take; the pause, and from its end on, when absent. */
  readonly leaseMs?: number;
  /** Works on a claimed item: it may be repeated, and other replicas may begin once it is due. */
  readonly work: (claimed: Pending<Item>) => Promise<WorkResult>;
}

export interface WorkerDeps {
  readonly clock: Pick<Clock, 'now'>;
  /** Name of this replica. */
  readonly owner: string;
  readonly logger: Logger;
  /** Called when a place is free and more may be due. */
  readonly wake: () => void;
}

/** Works on the due items of one kind, of all replicas. */
export interface Worker {
  /** Claims what is due and begins to work on it; true when more may be due. */
  runOnce(): Promise<boolean>;
  /** Resolves when nothing is worked on. */
  idle(): Promise<void>;
  /** Stops its metrics. */
  stop(): void;
}

/** Items that are claimed at a time; each claim is a write. */
const batchMax = 100;

/**
 * 1. What is due is claimed by compare-and-set, which also postpones it: after a crash another
 *    replica claims it then. One that cannot be claimed does not delay the others.
 * 2. Each item is worked on in a place of its own and fails alone. The next round begins as soon as
 *    places are free, so one item that hangs costs one place.
 * 3. It is completed once its result is known, and only then.
 */
export function createWorker<Item>(kind: WorkKind<Item>, deps: WorkerDeps): Worker {
  const { name, queue, places, again, leaseMs } = kind;
  const { clock, owner, logger, wake } = deps;
  const running = new Map<string, Promise<void>>();
  let mayHaveMore = false;
  let oldestDueMs: number | null = null;
  const unobserve = observeWork(name, {
    running: () => running.size,
    oldestDueMs: () => oldestDueMs,
    now: clock.now,
  });

  async function end(item: Pending<Item>, result: WorkResult): Promise<void> {
    if (result === 'done') await queue.complete(item);
    else if (result !== 'later') await queue.postpone(item, clock.now() + result, 'uncounted');
    else if (leaseMs !== undefined) {
      await queue.postpone(item, clock.now() + doubledDelayMs(again, item.tries), 'counts');
    }
  }

  async function workOn(item: Pending<Item>): Promise<WorkResult> {
    try {
      return await kind.work(item);
    } catch (error) {
      countFailure(name);
      logger.warn({ err: error, work: name, id: item.id, tries: item.tries }, 'work failed');
      return 'later';
    }
  }

  function begin(item: Pending<Item>): void {
    const ended = workOn(item)
      .then((result) => end(item, result))
      .catch((error: unknown) => {
        logger.warn({ err: error, work: name, id: item.id }, 'end of work not recorded');
      })
      .then(() => {
        running.delete(item.id);
        if (mayHaveMore) wake();
      });
    running.set(item.id, ended);
  }

  async function claim(pending: Pending<Item>): Promise<void> {
    const untilMs = clock.now() + (leaseMs ?? doubledDelayMs(again, pending.tries + 1));
    const item = await queue.claim(pending, owner, untilMs);
    if (item === null) return;
    countClaim(name, item.tries);
    begin(item);
  }

  return {
    async runOnce() {
      const limit = Math.min(batchMax, places - running.size);
      if (limit <= 0) return false;
      // What takes longer here than its claim is left to others, and takes no place twice.
      const found = await queue.findDue(clock.now(), limit + running.size);
      const due = found.filter(({ id }) => !running.has(id)).slice(0, limit);
      oldestDueMs = due[0]?.dueAtMs ?? null;
      mayHaveMore = due.length === limit;
      const claims = await Promise.allSettled(due.map(claim));
      const failed = claims.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      return mayHaveMore && running.size < places;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
    stop: unobserve,
  };
}
