import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import {
  type Backoff,
  backoffDelayMs,
  doubledDelayMs,
  jitteredDelayMs,
} from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import { holdLease } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { createStandBack } from './stand-back.ts';
import type { FirstClaim } from './work-field.ts';
import { claims, failures, observeWork } from './work-metrics.ts';
import { type Pending, untilDueMs, type WorkQueue } from './work-queue.ts';

/**
 * `done` ends it; with `later` it is due again after its pause, as it is after an error and a crash.
 * A number is a pause in milliseconds, after a claim that does not count. `settled`: the work has ended
 * its claim itself.
 */
export type WorkResult = 'done' | 'later' | 'settled' | number;

/** One kind of pending work. */
export interface WorkKind<Item> {
  /** Letters and spaces: it is a label of the metrics. */
  readonly name: string;
  readonly queue: WorkQueue<Item>;
  /** Items that one replica works on at a time. */
  readonly slots: number;
  /** Those of one key, so that the items of a key wait for each other and not for all. */
  readonly perKey?: { readonly slots: number; readonly keyOf: (item: Item) => string };
  /** Pause from a claim to the next one, by claims. */
  readonly again: Backoff;
  /**
   * Time after which others take over from a replica that crashed; the claim is renewed until the
   * work ends. Without it the work may take as long as its pause.
   */
  readonly leaseMs?: number;
  /**
   * Works on a claimed item: it may be repeated. The signal aborts with `LeaseLost` when others may
   * begin, and when this process stops.
   */
  readonly work: (claimed: Pending<Item>, signal: AbortSignal) => Promise<WorkResult>;
}

export interface WorkerDeps {
  readonly clock: Clock;
  /** Name of this replica. */
  readonly owner: string;
  readonly logger: Logger;
  /** Called when a slot is free and more may be due. */
  readonly wake: () => void;
  /** Called when an item will be due again after so many milliseconds. */
  readonly wakeIn: (pauseMs: number) => void;
  /** Aborts with `LeaseLost` when the process stops. */
  readonly stopping: AbortSignal;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** A slot for an item that is inserted as claimed by this replica; it is used or released. */
export interface ReservedSlot<Item> {
  readonly claim: FirstClaim;
  begin(id: string, item: Item): void;
  release(): void;
}

/** Works on the due items of one kind, of all replicas. */
export interface Worker<Item> {
  /** Claims what is due and begins to work on it; true when more may be due. */
  runOnce(): Promise<boolean>;
  /** Whether the last poll found something due, or something is worked on. */
  readonly isBusy: boolean;
  /** Reads the first item, due or not: milliseconds until it is due, at most these. */
  dueInMs(withinMs: number): Promise<number>;
  /** Null while none is free. */
  reserve(): ReservedSlot<Item> | null;
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
 * 2. Each item is worked on in a slot of its own and fails alone. The next round begins as soon as
 *    slots are free, so one item that hangs costs one slot.
 * 3. Keys are round-robin: once a key has all of its slots, its items are neither read nor claimed.
 * 4. It is completed once its result is known, and only then.
 */
export function createWorker<Item>(kind: WorkKind<Item>, deps: WorkerDeps): Worker<Item> {
  const { name, queue, slots } = kind;
  const { clock, owner, logger, wake, stopping } = deps;
  const running = new Map<string, Promise<void>>();
  let reserved = 0;
  let mayHaveMore = false;
  let oldestDueMs: number | null = null;
  const unobserve = observeWork(name, {
    running: () => running.size,
    oldestDueMs: () => oldestDueMs,
    now: clock.now,
  });
  const { itemWork, standBack } = createItemWork(kind, deps);
  const keys = createKeySlots(kind);

  function begin(item: Pending<Item>): void {
    claims.add(1, { work: name, claim: item.tries === 1 ? 'first' : 'repeated' });
    const ended = itemWork(item)
      .catch((error: unknown) => {
        logger.warn({ err: error, work: name, id: item.id }, 'end of work not recorded');
      })
      .then(() => {
        running.delete(item.id);
        keys.leave(item);
        if (mayHaveMore) wake();
      });
    running.set(item.id, ended);
  }

  async function claim(pending: Pending<Item>): Promise<void> {
    try {
      const untilMs = claimedUntilMs(kind, clock, pending.tries + 1);
      const item = await queue.claim(pending, owner, untilMs);
      if (item === null) keys.leave(pending);
      else begin(item);
    } catch (error) {
      keys.leave(pending);
      throw error;
    }
  }

  const slotsLeft = () => slots - running.size - reserved;

  return {
    async runOnce() {
      const limit = Math.min(batchMax, slotsLeft());
      if (limit <= 0) {
        mayHaveMore = true;
        return false;
      }
      // What takes longer here than its claim is left to others, and takes no slot twice.
      const full = keys.full();
      const found = await queue.findDue(clock.now(), limit + running.size + standBack.size, full);
      const waiting = found.filter(({ id }) => !running.has(id));
      oldestDueMs = waiting[0]?.dueAtMs ?? null;
      const due = waiting.filter(({ id }) => !standBack.passes(id)).slice(0, limit);
      const taken = due.filter(keys.enter);
      mayHaveMore = due.length === limit || full.length > 0 || taken.length < due.length;
      const claims = await Promise.allSettled(taken.map(claim));
      const failed = claims.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      return due.length === limit && slotsLeft() > 0;
    },
    get isBusy() {
      return running.size > 0 || oldestDueMs !== null;
    },
    async dueInMs(withinMs) {
      const [first] = await queue.findDue(clock.now() + withinMs, 1);
      return first ? untilDueMs(first, clock.now(), withinMs) : withinMs;
    },
    reserve() {
      if (slotsLeft() <= 0 || stopping.aborted) return null;
      reserved += 1;
      const dueAtMs = claimedUntilMs(kind, clock, 1);
      const release = () => {
        reserved -= 1;
      };
      return {
        claim: { owner, dueAtMs },
        begin(id, item) {
          release();
          const claimed = { id, item, dueAtMs, tries: 1, ownerBefore: null };
          keys.take(claimed);
          begin(claimed);
        },
        release,
      };
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
    stop: unobserve,
  };
}

/** The slots of each key that are taken. */
function createKeySlots<Item>({ perKey }: WorkKind<Item>) {
  const taken = new Map<string, number>();
  function take({ item }: Pending<Item>): void {
    if (!perKey) return;
    const key = perKey.keyOf(item);
    taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return {
    /** Keys without a free slot. */
    full: () => [...taken].flatMap(([key, count]) => (count >= (perKey?.slots ?? 0) ? [key] : [])),
    take,
    /** False when its key has no free slot. */
    enter(one: Pending<Item>): boolean {
      if (perKey && (taken.get(perKey.keyOf(one.item)) ?? 0) >= perKey.slots) return false;
      take(one);
      return true;
    },
    leave({ item }: Pending<Item>): void {
      if (!perKey) return;
      const key = perKey.keyOf(item);
      const left = (taken.get(key) ?? 1) - 1;
      if (left <= 0) taken.delete(key);
      else taken.set(key, left);
    },
  };
}

function claimedUntilMs<Item>(
  { leaseMs, again }: WorkKind<Item>,
  clock: Clock,
  tries: number,
): number {
  return clock.now() + (leaseMs ?? doubledDelayMs(again, tries));
}

const recordBackoff: Backoff = { firstMs: 200, maxMs: 5_000 };

/**
 * Works on one claimed item, until its result is recorded. A store that is unavailable uses up no try:
 * neither where the work meets it, nor where the result cannot be recorded for it.
 */
function createItemWork<Item>(kind: WorkKind<Item>, deps: WorkerDeps) {
  const { name, queue, again, leaseMs } = kind;
  const standBack = createStandBack();
  const { clock, logger, wakeIn, stopping, random = Math.random } = deps;

  async function end(item: Pending<Item>, result: WorkResult): Promise<void> {
    if (result === 'settled') return;
    if (result === 'done') return await queue.complete(item);
    if (result === 'later' && leaseMs === undefined) return;
    const pauseMs = result === 'later' ? backoffDelayMs(again, item.tries, random()) : result;
    await queue.postpone(item, clock.now() + pauseMs, result === 'later' ? 'counts' : 'uncounted');
    wakeIn(pauseMs);
  }

  /** As soon as the store is back, unless others may have claimed the item by then. */
  async function record(item: Pending<Item>, result: WorkResult): Promise<void> {
    for (let recordings = 1; ; recordings += 1) {
      try {
        return await end(item, result);
      } catch (error) {
        const isLast = stopping.aborted || clock.now() >= item.dueAtMs;
        if (isLast || !isMongoUnavailable(error)) throw error;
      }
      await pause(jitteredDelayMs(recordBackoff, recordings), stopping);
    }
  }

  async function workOn(item: Pending<Item>, signal: AbortSignal): Promise<WorkResult> {
    try {
      return await kind.work(item, signal);
    } catch (error) {
      failures.add(1, { work: name });
      standBack.failed(item);
      logger.warn({ err: error, work: name, id: item.id, tries: item.tries }, 'work failed');
      return isMongoUnavailable(error) ? backoffDelayMs(again, item.tries, random()) : 'later';
    }
  }

  async function workUnderLease(item: Pending<Item>, lease: number): Promise<void> {
    let claimed = item;
    const held = holdLease({
      name: `renewals of ${name}`,
      leaseMs: lease,
      sentMs: item.dueAtMs - lease,
      stopping,
      clock,
      logger,
      async renew() {
        const renewed = await queue.renew(claimed, claimedUntilMs(kind, clock, claimed.tries));
        claimed = renewed ?? claimed;
        return renewed !== null;
      },
    });
    const result = await workOn(item, held.signal);
    held.end();
    await held.ended;
    await record(claimed, result);
  }

  const itemWork = (item: Pending<Item>): Promise<void> =>
    leaseMs === undefined
      ? workOn(item, stopping).then((result) => record(item, result))
      : workUnderLease(item, leaseMs);
  return { itemWork, standBack };
}
