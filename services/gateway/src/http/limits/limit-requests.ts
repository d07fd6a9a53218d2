import { type Clock, elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { type Batcher, createBatcher } from '@inventory/runtime/concurrency';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import { DeadlineExceeded } from '@inventory/runtime/wait';
import {
  admitInOrder,
  type RateState,
  rateStateAt,
  slackOf,
  type Taken,
  type Taking,
  windowStartOf,
} from './rate-window.domain.ts';
import type { RateOwner, RateWindow, RateWindowStore } from './rate-window-store.ts';

export interface RateDecision extends RateState {
  readonly admitted: boolean;
}

const ownersMax = 10_000;
const batchMax = 500;
const waitingMax = 1_000;

/** The last count known to this replica, and its window. */
interface KnownCount {
  readonly startMs: number;
  readonly used: number;
}

interface Wish extends Taking {
  readonly isReturnable: boolean;
}

interface OwnerCounter {
  readonly batcher: Batcher<Wish, RateDecision>;
  known: KnownCount;
}

export type RequestLimiter = ReturnType<typeof createRequestLimiter>;

/**
 * Counts the requests of each owner against its limit. Exact over all replicas: the count is in the
 * store, and every admission is an increment of it on the condition that it fits. Replicas do not
 * refuse each other's increments. Requests that wait for a write share the next one, so an owner
 * has at most one write at a time. Once its window is known to be full, the store is not read,
 * unless its requests may be returned.
 */
export function createRequestLimiter({
  windows,
  clock,
  deadlines,
}: {
  readonly windows: RateWindowStore;
  readonly clock: Clock;
  readonly deadlines: { readonly lookUpMs: number };
}) {
  const counters = createRecentlyUsed<RateOwner, OwnerCounter>(ownersMax);

  function createCounter(owner: RateOwner): OwnerCounter {
    const counter: OwnerCounter = {
      known: { startMs: 0, used: 0 },
      batcher: createBatcher({ itemsMax: batchMax, waitingMax, flush }),
    };

    async function flush(wishes: readonly Wish[]): Promise<RateDecision[]> {
      const nowMs = clock.now();
      const startMs = windowStartOf(nowMs);
      const expected = counter.known.startMs === startMs ? counter.known.used : null;
      const mayDecrease = wishes.some(({ isReturnable }) => isReturnable);
      const given = { expected, mayDecrease, withinMs: deadlines.lookUpMs };
      const taken = await count(windows, { owner, startMs }, wishes, given);
      counter.known = { startMs, used: taken.at(-1)?.used ?? 0 };
      return wishes.map(({ limitPerMinute }, index) => {
        const { used, admitted } = taken[index] as Taken;
        return { ...rateStateAt(used, limitPerMinute, nowMs), admitted };
      });
    }

    return counter;
  }

  return {
    /** Whether the last count that this replica knows leaves no request. */
    isKnownFull(owner: RateOwner, limitPerMinute: number): boolean {
      const known = counters.peek(owner)?.known;
      return known?.startMs === windowStartOf(clock.now()) && known.used >= limitPerMinute;
    },
    /**
     * Takes this number of requests, all or none; a negative number returns requests. Where requests of
     * the owner may be returned (`isReturnable`), the count may decrease on any replica, so the store is
     * read before a refusal. Rejects when the store is unavailable: then nothing is admitted.
     */
    async takeRequests(
      owner: RateOwner,
      limitPerMinute: number,
      requests = 1,
      isReturnable = false,
    ): Promise<RateDecision> {
      let counter = counters.get(owner);
      if (counter === undefined) {
        counter = createCounter(owner);
        counters.set(owner, counter);
      }
      const nowMs = clock.now();
      const { startMs, used } = counter.known;
      const isFull = startMs === windowStartOf(nowMs) && used + requests > limitPerMinute;
      if (isFull && requests > 0 && !isReturnable) {
        return { ...rateStateAt(used, limitPerMinute, nowMs), admitted: false };
      }
      return await counter.batcher.add({ limitPerMinute, requests, isReturnable });
    },
  };
}

/**
 * Counts the takings that fit their limits, and returns the result of each: one increment where the
 * known count is near enough to decide what fits. Where other replicas have counted so much that it
 * does not fit, it starts again from the stored count; each time means progress of another replica,
 * so the attempts are bounded by time, not by number.
 */
async function count(
  windows: RateWindowStore,
  window: RateWindow,
  takings: readonly Taking[],
  given: {
    readonly expected: number | null;
    /** Whether the count may have decreased below the expected one. */
    readonly mayDecrease: boolean;
    readonly withinMs: number;
  },
): Promise<Taken[]> {
  const startMs = monotonicNow();
  let before = given.expected;
  let isGuess = given.mayDecrease;
  while (elapsedSince(startMs) < given.withinMs) {
    const taken = admitInOrder(before ?? 0, takings);
    if (isGuess && taken.some(({ admitted }) => !admitted)) {
      before = await windows.readCount(window);
      isGuess = false;
      continue;
    }
    if (!taken.some(({ admitted }) => admitted)) return taken;
    const expected = taken.at(-1)?.used ?? 0;
    const counted = expected - (before ?? 0);
    const used = await windows.addCount(window, counted, expected + slackOf(takings, taken));
    if (used !== null) {
      const others = used - expected;
      return taken.map((one) => ({ ...one, used: one.used + others }));
    }
    before = await windows.readCount(window);
  }
  throw new DeadlineExceeded(`counting requests took longer than ${given.withinMs} ms`);
}
