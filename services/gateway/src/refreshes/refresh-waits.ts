import type { AccountId, RefreshId } from '@inventory/contracts/ids';
import { createKeyedSemaphore, type KeyedLimits } from '@inventory/runtime/semaphore';

/** Requests of this replica that wait for a refresh to become terminal. */
export interface RefreshWaits {
  /** Null when too many requests wait: the caller responds with the current state. */
  startWaiting(accountId: AccountId, refreshId: RefreshId): WaitingPlace | null;
  /** Notifies the requests that wait for this refresh. */
  notify(refreshId: RefreshId): void;
  readonly waiting: number;
}

export interface WaitingPlace {
  /**
   * Resolves when the refresh was notified since the last call, after `timeoutMs`, or when the
   * signal is aborted. Never rejects.
   */
  waitForNotification(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Ends the wait; to be called exactly once. */
  stopWaiting(): void;
}

interface Waiter {
  isNotified: boolean;
  wake: () => void;
}

export function createRefreshWaits(limits: KeyedLimits): RefreshWaits {
  const byRefresh = new Map<RefreshId, Set<Waiter>>();
  const places = createKeyedSemaphore<AccountId>(limits);

  function removeWaiter(refreshId: RefreshId, waiter: Waiter): void {
    const waiters = byRefresh.get(refreshId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) byRefresh.delete(refreshId);
  }

  return {
    startWaiting(accountId, refreshId) {
      const permit = places.acquire(accountId);
      if (permit.result !== 'granted') return null;
      const waiter: Waiter = { isNotified: false, wake: () => {} };
      const waiters = byRefresh.get(refreshId) ?? new Set();
      byRefresh.set(refreshId, waiters.add(waiter));
      return {
        waitForNotification: (timeoutMs, signal) => untilWoken(waiter, timeoutMs, signal),
        stopWaiting() {
          removeWaiter(refreshId, waiter);
          permit.release();
        },
      };
    },
    notify(refreshId) {
      for (const waiter of byRefresh.get(refreshId) ?? []) {
        waiter.isNotified = true;
        waiter.wake();
      }
    },
    get waiting() {
      return places.held;
    },
  };
}

async function untilWoken(waiter: Waiter, timeoutMs: number, signal: AbortSignal): Promise<void> {
  if (!waiter.isNotified && !signal.aborted) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const timer = setTimeout(wake, timeoutMs);
    waiter.wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
  }
  waiter.isNotified = false;
}
