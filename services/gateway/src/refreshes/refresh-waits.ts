import type { AccountId, ProjectId, RefreshId } from '@inventory/contracts/ids';
import { createKeyedSemaphore, type KeyedLimits } from '@inventory/runtime/semaphore';

export interface RefreshWait {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly refreshId: RefreshId;
}

export interface WaitSlot {
  /**
   * Resolves when the refresh was notified since the last call, after `timeoutMs`, or when the
   * signal is aborted. Never rejects.
   */
  waitForNotification(timeoutMs: number, signal: AbortSignal): Promise<void>;
  /** Ends the wait; to be called exactly once. */
  stopWaiting(): void;
}

interface Waiter {
  readonly refreshId: RefreshId;
  isNotified: boolean;
  wake: () => void;
}

export type RefreshWaits = ReturnType<typeof createRefreshWaits>;

/** Requests of this replica that wait for a refresh to become terminal. */
export function createRefreshWaits(limits: KeyedLimits) {
  const byProject = new Map<string, Set<Waiter>>();
  const slots = createKeyedSemaphore<AccountId>(limits);

  function removeWaiter(projectId: ProjectId, waiter: Waiter): void {
    const waiters = byProject.get(projectId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) byProject.delete(projectId);
  }

  return {
    /** Null when too many requests wait: the caller responds with the current state. */
    startWaiting({ accountId, projectId, refreshId }: RefreshWait): WaitSlot | null {
      const permit = slots.acquire(accountId);
      if (permit.result !== 'granted') return null;
      const waiter: Waiter = { refreshId, isNotified: false, wake: () => {} };
      const waiters = byProject.get(projectId) ?? new Set();
      byProject.set(projectId, waiters.add(waiter));
      return {
        waitForNotification: (timeoutMs, signal) => untilWoken(waiter, timeoutMs, signal),
        stopWaiting() {
          removeWaiter(projectId, waiter);
          permit.release();
        },
      };
    },
    /** Whether a request waits for a refresh of this Project. */
    hasProject: (projectId: string): boolean => byProject.has(projectId),
    /** Notifies the requests that wait for this refresh of the Project. */
    notify(projectId: ProjectId, refreshId: RefreshId): void {
      for (const waiter of byProject.get(projectId) ?? []) {
        if (waiter.refreshId !== refreshId) continue;
        waiter.isNotified = true;
        waiter.wake();
      }
    },
    get waiting(): number {
      return slots.held;
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
