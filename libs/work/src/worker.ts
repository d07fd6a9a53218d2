import { type Backoff, doubledDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import { holdLease } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';
import type { FirstClaim } from './work-field.ts';
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
  readonly queue: Pick<WorkQueue<Item>, 'findDue' | 'claim' | 'renew' | 'postpone' | 'complete'>;
  /** Items that one replica works on at a time. */
  readonly places: number;
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
  readonly clock: Pick<Clock, 'now'>;
  /** Name of this replica. */
  readonly owner: string;
  readonly logger: Logger;
  /** Called when a place is free and more may be due. */
  readonly wake: () => void;
  /** Called when an item will be due again after so many milliseconds. */
  readonly wakeIn: (pauseMs: number) => void;
  /** Aborts with `LeaseLost` when the process stops. */
  readonly stopping: AbortSignal;
}

/** A place for an item that is inserted as claimed by this replica; it is used or released. */
export interface Place<Item> {
  readonly claim: FirstClaim;
  begin(id: string, item: Item): void;
  release(): void;
}

/** Works on the due items of one kind, of all replicas. */
export interface Worker<Item> {
  /** Claims what is due and begins to work on it; true when more may be due. */
  runOnce(): Promise<boolean>;
  /** Null while none is free. */
  reserve(): Place<Item> | null;
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
export function createWorker<Item>(kind: WorkKind<Item>, deps: WorkerDeps): Worker<Item> {
  const { name, queue, places } = kind;
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
  const itemWork = createItemWork(kind, deps);

  function begin(item: Pending<Item>): void {
    countClaim(name, item.tries);
    const ended = itemWork(item)
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
    const item = await queue.claim(pending, owner, claimedUntilMs(kind, clock, pending.tries + 1));
    if (item !== null) begin(item);
  }

  const placesLeft = () => places - running.size - reserved;

  return {
    async runOnce() {
      const limit = Math.min(batchMax, placesLeft());
      if (limit <= 0) {
        mayHaveMore = true;
        return false;
      }
      // What takes longer here than its claim is left to others, and takes no place twice.
      const found = await queue.findDue(clock.now(), limit + running.size);
      const due = found.filter(({ id }) => !running.has(id)).slice(0, limit);
      oldestDueMs = due[0]?.dueAtMs ?? null;
      mayHaveMore = due.length === limit;
      const claims = await Promise.allSettled(due.map(claim));
      const failed = claims.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      return mayHaveMore && placesLeft() > 0;
    },
    reserve() {
      if (placesLeft() <= 0 || stopping.aborted) return null;
      reserved += 1;
      const dueAtMs = claimedUntilMs(kind, clock, 1);
      const release = () => {
        reserved -= 1;
      };
      return {
        claim: { owner, dueAtMs },
        begin(id, item) {
          release();
          begin({ id, item, dueAtMs, tries: 1, ownerBefore: null });
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

function claimedUntilMs(
  { leaseMs, again }: Pick<WorkKind<unknown>, 'leaseMs' | 'again'>,
  clock: Pick<Clock, 'now'>,
  tries: number,
): number {
  return clock.now() + (leaseMs ?? doubledDelayMs(again, tries));
}

/** Works on one claimed item, until its result is recorded. */
function createItemWork<Item>(kind: WorkKind<Item>, deps: WorkerDeps) {
  const { name, queue, again, leaseMs } = kind;
  const { clock, logger, wakeIn, stopping } = deps;

  async function end(item: Pending<Item>, result: WorkResult): Promise<void> {
    if (result === 'done') return await queue.complete(item);
    if (result === 'later' && leaseMs === undefined) return;
    const pauseMs = result === 'later' ? doubledDelayMs(again, item.tries) : result;
    await queue.postpone(item, clock.now() + pauseMs, result === 'later' ? 'counts' : 'uncounted');
    wakeIn(pauseMs);
  }

  async function workOn(item: Pending<Item>, signal: AbortSignal): Promise<WorkResult> {
    try {
      return await kind.work(item, signal);
    } catch (error) {
      countFailure(name);
      logger.warn({ err: error, work: name, id: item.id, tries: item.tries }, 'work failed');
      return 'later';
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
    await end(claimed, result);
  }

  return (item: Pending<Item>): Promise<void> =>
    leaseMs === undefined
      ? workOn(item, stopping).then((result) => end(item, result))
      : workUnderLease(item, leaseMs);
}
