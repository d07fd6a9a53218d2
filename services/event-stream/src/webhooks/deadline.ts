import { monotonicNow } from '@inventory/runtime/clock';

export interface Deadline {
  readonly signal: AbortSignal;
  clear(): void;
}

/** A timer that fires later than this shows that the process was busy. */
const lateFromMs = 100;

/**
 * Aborts after `timeoutMs` of waiting, or when `stopping` does. Time in which this process did not run
 * is not counted, up to as much again, and what arrived by the end is read first.
 */
export function startDeadline(timeoutMs: number, stopping: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let spareMs = timeoutMs;
  let timer = waitFor(timeoutMs);
  // One listener, not a signal more for each request, as `AbortSignal.any` makes.
  stopping.addEventListener('abort', abort);
  if (stopping.aborted) abort();

  function waitFor(durationMs: number): NodeJS.Timeout {
    const dueMs = monotonicNow() + durationMs;
    return setTimeout(() => {
      const lateMs = Math.min(monotonicNow() - dueMs, spareMs);
      spareMs -= lateMs;
      if (lateMs >= lateFromMs) timer = waitFor(lateMs);
      // Sockets are read between timers and immediates.
      else setImmediate(abort);
    }, durationMs);
  }

  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      stopping.removeEventListener('abort', abort);
    },
  };
}
