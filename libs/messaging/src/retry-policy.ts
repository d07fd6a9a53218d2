import { Bug } from '@inventory/runtime/bug';
import { ZodError } from 'zod';

/** Faults that the same input will cause again; repeating them for ever would block a partition. */
const repeatingFaults = [TypeError, RangeError, ReferenceError, SyntaxError, ZodError, Bug];

/** Tries of one record before a repeating fault of ours sends it to the dead letters. */
export const faultTriesMax = 5;

export const handlerBackoff = { firstMs: 200, maxMs: 30_000 } as const;

export type AfterFailure = 'retry' | 'dead_letter';

/**
 * What to do with a record whose handler failed. An operating error (a store or broker away)
 * heals by itself and is retried without end; a fault of ours is bounded.
 */
export function afterFailure(error: unknown, triesOfThisRecord: number): AfterFailure {
  const repeating = repeatingFaults.some((fault) => error instanceof fault);
  return repeating && triesOfThisRecord >= faultTriesMax ? 'dead_letter' : 'retry';
}
