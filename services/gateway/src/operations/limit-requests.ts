import type { AccountId } from '@inventory/contracts/ids';
import { type Clock, elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { type Batcher, createBatcher } from '@inventory/runtime/concurrency';
import { DeadlineExceeded } from '@inventory/runtime/wait';
import { LRUCache } from 'lru-cache';
import { type RateStanding, standingAt, usedAfter, windowStartOf } from '../domain/rate-window.ts';
import type { RateWindow, RateWindowStore } from '../storage/rate-window-store.ts';

export interface RateDecision extends RateStanding {
  readonly admitted: boolean;
}

/** Counts the requests of an account against its shared limit. */
export interface RequestLimiter {
  /** Rejects when the store does not answer: then nothing is admitted. */
  take(accountId: AccountId, limitPerMinute: number): Promise<RateDecision>;
}

export interface RequestLimiterOptions {
  readonly windows: RateWindowStore;
  readonly clock: Clock;
}

const accountsMax = 10_000;
const batchMax = 500;
const waitingMax = 1_000;
const contentionMaxMs = 3_000;

/** The last count this replica knows of, and the window it belongs to. */
interface KnownCount {
  readonly startMs: number;
  readonly used: number;
}

interface AccountCounter {
  readonly batcher: Batcher<number, RateDecision>;
  known: KnownCount;
}

/**
 * Exact over all replicas: the count lives in the store, and every admission is part of a
 * compare-and-set of it. Requests that wait on a write share the next one, so that an account
 * costs at most one write at a time. Once its window is known to be full, the store is not asked.
 */
export function createRequestLimiter({ windows, clock }: RequestLimiterOptions): RequestLimiter {
  const counters = new LRUCache<AccountId, AccountCounter>({ max: accountsMax });

  function createCounter(accountId: AccountId): AccountCounter {
    const counter: AccountCounter = {
      known: { startMs: 0, used: 0 },
      batcher: createBatcher({ itemsMax: batchMax, waitingMax, flush }),
    };

    async function flush(limits: readonly number[]): Promise<RateDecision[]> {
      const nowMs = clock.now();
      const startMs = windowStartOf(nowMs);
      // One account has one limit; while a change of it spreads, the newest request's counts.
      const limit = limits.at(-1) ?? 0;
      const expected = counter.known.startMs === startMs ? counter.known.used : null;
      const wanted = limits.length;
      const before = await count(windows, { accountId, startMs }, { expected, wanted, limit });
      counter.known = { startMs, used: usedAfter(before, wanted, limit) };
      return limits.map((_, index) => ({
        ...standingAt(before + index + 1, limit, nowMs),
        admitted: before + index < limit,
      }));
    }

    return counter;
  }

  return {
    async take(accountId, limitPerMinute) {
      let counter = counters.get(accountId);
      if (counter === undefined) {
        counter = createCounter(accountId);
        counters.set(accountId, counter);
      }
      const nowMs = clock.now();
      const { startMs, used } = counter.known;
      if (startMs === windowStartOf(nowMs) && used >= limitPerMinute) {
        return { ...standingAt(used, limitPerMinute, nowMs), admitted: false };
      }
      return await counter.batcher.add(limitPerMinute);
    },
  };
}

/**
 * Counts up to `wanted` requests, as far as the limit allows, and answers how many were counted
 * before them. Where another replica counted meanwhile it begins again from what that one left:
 * each time some replica gets on, so the tries are bounded by time and not by number.
 */
async function count(
  windows: RateWindowStore,
  window: RateWindow,
  wish: { readonly expected: number | null; readonly wanted: number; readonly limit: number },
): Promise<number> {
  const startMs = monotonicNow();
  let before = wish.expected;
  while (elapsedSince(startMs) < contentionMaxMs) {
    const after = usedAfter(before ?? 0, wish.wanted, wish.limit);
    if (before === null) {
      if (await windows.begin(window, after)) return 0;
    } else if (after === before || (await windows.advance(window, before, after))) {
      return before;
    }
    before = await windows.used(window);
  }
  throw new DeadlineExceeded(`counting requests took longer than ${contentionMaxMs} ms`);
}
