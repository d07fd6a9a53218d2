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

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
