import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import { startPeriodicJob } from './periodic-job.ts';

/** Another worker may hold the lease: what was begun under it must not be finished. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

export interface HeldLease {
  /** Aborted with {@link LeaseLost} once the lease is lost, and when the process is `stopping`. */
  readonly signal: AbortSignal;
  /** False from the expiry on, also in a process that was suspended across it. */
  isHeld(): boolean;
  /** Ends the renewals and aborts the signal. */
  end(): void;
  /** Resolves once it ended and no renewal is under way. */
  readonly ended: Promise<void>;
}

export interface HoldLeaseOptions {
  /** Name of the renewals in metrics and log. */
  readonly name: string;
  /** Time from a renewal to the expiry. */
  readonly leaseMs: number;
  /** When the request that acquired it was sent: its response may have been late. */
  readonly sentMs: number;
  /** False when another worker holds the lease. A rejection is retried until the expiry. */
  readonly renew: () => Promise<boolean>;
  /** Aborts the signal, where given; the lease is renewed until `end` all the same. */
  readonly stopping?: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Renews a lease, just acquired, three times as often as it expires. */
export function holdLease(options: HoldLeaseOptions): HeldLease {
  const { name, leaseMs, sentMs, renew, stopping, clock, logger } = options;
  const lost = new AbortController();
  const ended = Promise.withResolvers<void>();
  let heldUntilMs = sentMs + leaseMs;
  let expiry = setTimeout(end, heldUntilMs - clock.now());

  const job = startPeriodicJob({
    name,
    intervalMs: leaseMs / 3,
    firstDelayMs: leaseMs / 3,
    logger,
    async runOnce() {
      const renewedMs = clock.now();
      if (!(await renew())) return end();
      if (lost.signal.aborted) return;
      heldUntilMs = renewedMs + leaseMs;
      clearTimeout(expiry);
      expiry = setTimeout(end, heldUntilMs - clock.now());
    },
  });

  function end(): void {
    clearTimeout(expiry);
    void job.stop().then(ended.resolve);
    lost.abort(new LeaseLost());
  }

  return {
    signal: stopping ? AbortSignal.any([stopping, lost.signal]) : lost.signal,
    isHeld: () => !lost.signal.aborted && clock.now() < heldUntilMs,
    end,
    ended: ended.promise,
  };
}
