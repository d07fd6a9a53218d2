/** What the client takes from outside: time, chance, waiting. */
export interface ClientEnvironment {
  /** Monotonic. */
  readonly nowMs: () => number;
  /** From 0 to less than 1. */
  readonly chance: () => number;
  /** A new unique Idempotency-Key. */
  readonly newKey: () => string;
  /** Resolves after the time; rejects with the signal's reason as soon as it is aborted. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Calls back after the time, unless what it returns is called before. */
  readonly startTimer: (ms: number, onOver: () => void) => () => void;
}

export const realEnvironment: ClientEnvironment = {
  nowMs: performance.now.bind(performance),
  chance: Math.random,
  newKey: crypto.randomUUID.bind(crypto),
  pause,
  startTimer,
};

/** Milliseconds since 1970, as signed timestamps count. */
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
