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
  const ceiling = doubledDelayMs(backoff, Math.max(failures, 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/** Delay after the attempt of this number: doubles from `firstMs` up to `maxMs`. */
export function doubledDelayMs({ firstMs, maxMs }: Backoff, attempt: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
}

/** {@link backoffDelayMs} with the process's random numbers. */
export function jitteredDelayMs(backoff: Backoff, failures: number): number {
  return backoffDelayMs(backoff, failures, Math.random());
}

/** A random integer in [minimum, maximum]. */
export function randomBetween(minimum: number, maximum: number): number {
  return minimum + Math.floor(Math.random() * (maximum - minimum + 1));
}
