import type { AccountId, RefreshId } from '@inventory/contracts/ids';
import { createKeyedSemaphore, type KeyedLimits } from '@inventory/runtime/semaphore';

/** Requests that wait for a refresh to become terminal, of this replica. */
export interface RefreshWaits {
  /** Null when too many wait already: the caller answers with what is known now. */
  startWaiting(accountId: AccountId, refreshId: RefreshId): WaitingPlace | null;
  /** Wakes whoever waits for this refresh. */
  notify(refreshId: RefreshId): void;
  readonly waiting: number;
}

export interface WaitingPlace {
  /**
   * Resolves when the refresh rang since the last call (at once when it did before this one),
   * after `timeoutMs`, or when the signal is aborted. Never rejects.
   */
  waitForNotification(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Gives the place back; to be called exactly once. */
  stopWaiting(): void;
}

interface Waiter {
  isNotified: boolean;
  wake: () => void;
}

export function createRefreshWaits(limits: KeyedLimits): RefreshWaits {
  const byRefresh = new Map<RefreshId, Set<Waiter>>();
  const places = createKeyedSemaphore<AccountId>(limits);

  function forget(refreshId: RefreshId, waiter: Waiter): void {
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
          forget(refreshId, waiter);
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
