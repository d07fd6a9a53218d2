/** Bounds of the delay before a retry. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Delay before attempt `failures` + 1: doubles from `firstMs` up to `maxMs`, with jitter in its upper
 * half, so that concurrent retries spread out. `random` is in [0, 1).
 */
export function backoffDelayMs(backoff: Backoff, failures: number, random: number): number {
  const exponent = Math.min(Math.max(failures - 1, 0), 30);
  const ceiling = Math.min(backoff.maxMs, backoff.firstMs * 2 ** exponent);
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/** {@link backoffDelayMs} with the process's random numbers. */
export function jitteredDelayMs(backoff: Backoff, failures: number): number {
  return backoffDelayMs(backoff, failures, Math.random());
}

/** A random integer in [minimum, maximum]. */
export function randomBetween(minimum: number, maximum: number): number {
  return minimum + Math.floor(Math.random() * (maximum - minimum + 1));
}
