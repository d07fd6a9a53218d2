import { Bug } from '@inventory/runtime/bug';
import { ZodError } from 'zod';

/** Errors that the same input causes again; retrying them for ever would block a partition. */
const repeatingFaults = [TypeError, RangeError, ReferenceError, SyntaxError, ZodError, Bug];

/** Attempts at one record before such an error sends it to the dead letters. */
export const faultAttemptsMax = 5;

export const handlerBackoff = { firstMs: 200, maxMs: 30_000 } as const;

/** How long a postponed record waits before it is handled again. */
export const postponeMs = 500;

export type AfterFailure = 'retry' | 'dead_letter';

/**
 * What to do with a record whose handler failed. An operational error (a store or broker is
 * unavailable) is transient and is retried without limit; retries of a programming error are
 * bounded.
 */
export function afterFailure(error: unknown, attempts: number): AfterFailure {
  const repeating = repeatingFaults.some((fault) => error instanceof fault);
  return repeating && attempts >= faultAttemptsMax ? 'dead_letter' : 'retry';
}
