import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { type Batcher, createBatcher } from '@inventory/runtime/concurrency';
import { LRUCache } from 'lru-cache';
import { type RateStanding, standingAt, usedAfter, windowStartOf } from '../domain/rate-window.ts';

export interface RateDecision extends RateStanding {
  readonly admitted: boolean;
}

/** Counts the requests of an account against its shared limit. */
export interface RequestLimiter {
  /** Rejects when the store does not answer: then nothing is admitted. */
  take(accountId: AccountId, limitPerMinute: number): Promise<RateDecision>;
}

export interface RequestLimiterOptions {
  readonly windows: {
    increment(increment: {
      readonly accountId: AccountId;
      readonly windowStartMs: number;
      readonly wanted: number;
      readonly limitPerMinute: number;
    }): Promise<number>;
  };
  readonly clock: Clock;
}

const accountsMax = 10_000;
const batchMax = 500;
const waitingMax = 1_000;

/** What this replica knows of an account: its writer, and the count the store last named. */
interface AccountCounter {
  readonly batcher: Batcher<number, RateDecision>;
  known: { windowStartMs: number; used: number };
}

/**
 * Exact over all replicas: the count lives in the store, and every admission is part of one of
 * its atomic increments. Requests that wait on a write share the next one, so that an account
 * costs at most one write at a time. Once its window is known to be full, the store is not asked.
 */
export function createRequestLimiter(options: RequestLimiterOptions): RequestLimiter {
  const { windows, clock } = options;
  const counters = new LRUCache<AccountId, AccountCounter>({ max: accountsMax });

  function createCounter(accountId: AccountId): AccountCounter {
    const counter: AccountCounter = {
      known: { windowStartMs: 0, used: 0 },
      batcher: createBatcher({ itemsMax: batchMax, waitingMax, flush }),
    };

    async function flush(limits: readonly number[]): Promise<RateDecision[]> {
      const nowMs = clock.now();
      const windowStartMs = windowStartOf(nowMs);
      // One account has one limit; while a change of it spreads, the newest request's counts.
      const limitPerMinute = limits.at(-1) ?? 0;
      const wanted = limits.length;
      const before = await windows.increment({ accountId, windowStartMs, wanted, limitPerMinute });
      counter.known = { windowStartMs, used: usedAfter(before, wanted, limitPerMinute) };
      return limits.map((_, index) => ({
        ...standingAt(before + index + 1, limitPerMinute, nowMs),
        admitted: before + index < limitPerMinute,
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
      const { windowStartMs, used } = counter.known;
      if (windowStartMs === windowStartOf(nowMs) && used >= limitPerMinute) {
        return { ...standingAt(used, limitPerMinute, nowMs), admitted: false };
      }
      return await counter.batcher.add(limitPerMinute);
    },
  };
}
