/** How long to wait before each further try. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Delay before try number `failures` + 1: doubles from `firstMs` up to `maxMs`, with full jitter
 * in its upper half so that waiting parties do not come back together. `random` is in [0, 1).
 */
export function backoffDelayMs(backoff: Backoff, failures: number, random: number): number {
  const exponent = Math.min(Math.max(failures - 1, 0), 30);
  const ceiling = Math.min(backoff.maxMs, backoff.firstMs * 2 ** exponent);
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/** The same with the process's own randomness. */
export function jitteredDelayMs(backoff: Backoff, failures: number): number {
  return backoffDelayMs(backoff, failures, Math.random());
}

/** A whole number in [minimum, maximum], at random. */
export function randomBetween(minimum: number, maximum: number): number {
  return minimum + Math.floor(Math.random() * (maximum - minimum + 1));
}
