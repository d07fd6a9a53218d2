import { type Backoff, doubledDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { claimed, observeWork } from './work-metrics.ts';
import type { Pending, WorkQueue } from './work-queue.ts';

/**
 * `done` ends it; with `later` it is due again after its pause, as it is after an error and a crash.
 * A number is a pause in milliseconds, after a claim that does not count. `settled`: the work ended
 * its claim itself.
 */
export type WorkResult = 'done' | 'later' | 'settled' | number;

/** One kind of pending work. */
export interface WorkKind<Item> {
  /** Letters and spaces: it is a label of the metrics. */
  readonly name: string;
  readonly queue: Pick<WorkQueue<Item>, 'findDue' | 'claim' | 'postpone' | 'complete'>;
  /** Items that one replica works on at a time. */
  readonly places: number;
  /** Those of one key, so that the items of a key wait for each other and not for all. */
  readonly perKey?: { readonly places: number; readonly keyOf: (item: Item) => string };
  /** Pause from a claim to the next one, by claims: also the time that the work may take. */
  readonly again: Backoff;
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
 * 3. Keys take turns: once a key has all of its places, its items are neither read nor claimed.
 * 4. It is completed once its result is known, and only then.
 */
export function createWorker<Item>(kind: WorkKind<Item>, deps: WorkerDeps): Worker {
  const { name, queue, places, again } = kind;
  const keys = createKeyPlaces(kind);
  const { clock, owner, logger, wake } = deps;
  const running = new Set<Promise<void>>();
  let mayHaveMore = false;
  let oldestDueMs: number | null = null;
  const unobserve = observeWork(name, {
    running: () => running.size,
    oldestDueMs: () => oldestDueMs,
    now: clock.now,
  });

  async function end(item: Pending<Item>, result: WorkResult): Promise<void> {
    if (result === 'done') await queue.complete(item);
    else if (typeof result === 'number') await queue.postpone(item, clock.now() + result);
  }

  function begin(item: Pending<Item>): void {
    const ended = kind
      .work(item)
      .then((result) => end(item, result))
      .catch((error: unknown) => {
        logger.warn({ err: error, work: name, id: item.id, tries: item.tries }, 'work failed');
      })
      .then(() => {
        running.delete(ended);
        keys.leave(item);
        if (mayHaveMore) wake();
      });
    running.add(ended);
  }

  async function claim(pending: Pending<Item>): Promise<void> {
    const untilMs = clock.now() + doubledDelayMs(again, pending.tries + 1);
    try {
      const item = await queue.claim(pending, owner, untilMs);
      if (item === null) return keys.leave(pending);
      claimed(name, item.tries);
      begin(item);
    } catch (error) {
      keys.leave(pending);
      throw error;
    }
  }

  return {
    async runOnce() {
      const limit = Math.min(batchMax, places - running.size);
      if (limit <= 0) return false;
      const full = keys.full();
      const due = await queue.findDue(clock.now(), limit, full);
      oldestDueMs = due[0]?.dueAtMs ?? null;
      const taken = due.filter(keys.enter);
      mayHaveMore = due.length === limit || full.length > 0 || taken.length < due.length;
      const claims = await Promise.allSettled(taken.map(claim));
      const failed = claims.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      return due.length === limit && running.size < places;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    stop: unobserve,
  };
}

/** The places of each key that are taken. */
function createKeyPlaces<Item>({ perKey }: Pick<WorkKind<Item>, 'perKey'>) {
  const taken = new Map<string, number>();
  return {
    /** Keys without a free place. */
    full: () => [...taken].flatMap(([key, count]) => (count === perKey?.places ? [key] : [])),
    /** False when its key has no free place. */
    enter({ item }: Pending<Item>): boolean {
      if (!perKey) return true;
      const key = perKey.keyOf(item);
      const count = taken.get(key) ?? 0;
      if (count < perKey.places) taken.set(key, count + 1);
      return count < perKey.places;
    },
    leave({ item }: Pending<Item>): void {
      if (!perKey) return;
      const key = perKey.keyOf(item);
      const left = (taken.get(key) ?? 1) - 1;
      if (left === 0) taken.delete(key);
      else taken.set(key, left);
    },
  };
}
