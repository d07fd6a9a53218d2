import type { Caller } from './caller.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { InventoryError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Success } from './read-answer.ts';
import type { Call } from './transport.ts';

/** One call of the interface within the limits that its options give it. */
export type Ask = (
  call: Call,
  options: CallOptions,
  onFailure?: (error: InventoryError) => void,
) => Promise<Success>;

const deadlineDefaultMs = 90_000;

export function createAsk(caller: Caller, { nowMs }: ClientEnvironment): Ask {
  return (call, { deadlineMs = deadlineDefaultMs, signal }, onFailure) =>
    caller.call(call, { endsAtMs: nowMs() + deadlineMs, signal }, onFailure);
}
