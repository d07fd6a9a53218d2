import type { Clock } from '@inventory/runtime/clock';
import { holdLease } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';
import type { Leases, WithLease } from '@inventory/work/lease';
import { leaseMs, type work } from './work.ts';

/**
 * Runs work that one replica at a time does, or one at a time for each `part`. Null when another
 * one is at it. The signal of the work is aborted when the lease is lost and when the process stops.
 */
export type RunLeased = <Value>(
  name: LedgerWork,
  run: (signal: AbortSignal) => Promise<Value>,
  part?: string,
) => Promise<Value | null>;

type LedgerWork = (typeof work)[keyof typeof work]['name'];

/** `holder` names this process among all of them. */
export function createRunLeased(
  leases: Leases<WithLease>,
  holder: string,
  process: { readonly clock: Clock; readonly stopping: AbortSignal; readonly logger: Logger },
): RunLeased {
  const { clock } = process;
  let runs = 0;
  return async (name, run, part) => {
    // Two runs of one process exclude each other too.
    runs += 1;
    const lease = {
      id: part === undefined ? name : `${name}/${part}`,
      owner: `${holder}/${runs}`,
    };
    const sentMs = clock.now();
    if (!(await leases.acquire(lease))) return null;
    const renew = () => leases.renew(lease);
    const held = holdLease({ ...process, name: `${name} lease`, leaseMs, sentMs, renew });
    try {
      return await run(held.signal);
    } finally {
      held.end();
      await leases.release(lease);
    }
  };
}
