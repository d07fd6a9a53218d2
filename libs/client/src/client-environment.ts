import { setTimeout as timer } from 'node:timers/promises';

/** Time, random numbers and timers of the client. */
export interface ClientEnvironment {
  /** Monotonic. */
  readonly nowMs: () => number;
  /** From 0 to less than 1. */
  readonly chance: () => number;
  /** A new unique Idempotency-Key. */
  readonly newKey: () => string;
  /** Resolves after the time; rejects with the signal's reason when it is aborted. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Calls back after the time, unless the returned function is called before. */
  readonly startTimer: (ms: number, onOver: () => void) => () => void;
}

export const realEnvironment: ClientEnvironment = {
  nowMs: performance.now.bind(performance),
  chance: Math.random,
  newKey: crypto.randomUUID.bind(crypto),
  pause,
  startTimer,
};

/** Milliseconds since the Unix epoch, the base of signed timestamps. */
export const wallClockMs: () => number = Date.now;

function startTimer(ms: number, onOver: () => void): () => void {
  const timer = setTimeout(onOver, ms);
  return () => clearTimeout(timer);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await timer(ms, undefined, signal && { signal });
  } catch {
    signal?.throwIfAborted();
  }
}
