import type { Clock } from '@inventory/runtime/clock';
import { holdLease } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';
import type { LeaseStore } from '../storage/lease-store.ts';

export interface RunLeasedDeps {
  readonly leases: LeaseStore;
  /** Names this process among all of them. */
  readonly holder: string;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

/**
 * Runs work that one replica at a time does, or one at a time for each `part`. Null when another
 * one is at it. The signal of the work is aborted when the lease is lost and when the process stops.
 */
export type RunLeased = <Value>(
  name: string,
  work: (signal: AbortSignal) => Promise<Value>,
  part?: string,
) => Promise<Value | null>;

const leaseMs = 30_000;

export function createRunLeased(deps: RunLeasedDeps): RunLeased {
  const { leases, clock, stopping, logger } = deps;
  let runs = 0;
  return async (name, work, part) => {
    const lease = part === undefined ? name : `${name}/${part}`;
    // Two runs of one process exclude each other too.
    runs += 1;
    const holder = `${deps.holder}/${runs}`;
    const acquire = () => {
      const nowMs = clock.now();
      return leases.acquireLease({ name: lease, holder, nowMs, untilMs: nowMs + leaseMs });
    };
    const sentMs = clock.now();
    if (!(await acquire())) return null;
    const options = {
      name: `${name} lease`,
      leaseMs,
      sentMs,
      renew: acquire,
      stopping,
      clock,
      logger,
    };
    const held = holdLease(options);
    try {
      return await work(held.signal);
    } finally {
      held.end();
      await leases.releaseLease(lease, holder);
    }
  };
}
