import { checkedKey } from './paths.ts';
import type { Call } from './transport.ts';

/**
 * How long the repetition of a paid read is certainly free. The service keeps its key for ten minutes
 * from the first request; a repetition has a minute to arrive.
 */
export const readKeyMs = 9 * 60_000;

/** A read that is charged once under its key: it is not repeated on its own when that may be void. */
export function paidRead(path: string, idempotencyKey: string): Call {
  return {
    method: 'GET',
    path,
    idempotencyKey: checkedKey(idempotencyKey),
    repeatableMs: readKeyMs,
  };
}
