import type { Logger } from '@inventory/runtime/logger';

/** Somebody else has the lease: what was begun under it must not be finished. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

export interface HeldLease {
  /** Aborted with {@link LeaseLost} when the lease could not be kept. */
  readonly signal: AbortSignal;
  stop(): void;
}

export interface HoldLeaseOptions {
  readonly everyMs: number;
  /** False when the lease is somebody else's. */
  readonly renew: () => Promise<boolean>;
  readonly logger: Logger;
}

/**
 * Renews a lease while long work runs. A store that does not answer is no loss yet: whether the
 * lease still holds is decided by the write that needs it.
 */
export function holdLease({ everyMs, renew, logger }: HoldLeaseOptions): HeldLease {
  const controller = new AbortController();

  async function renewOnce(): Promise<void> {
    try {
      if (!(await renew())) controller.abort(new LeaseLost());
    } catch (error) {
      logger.warn({ err: error }, 'lease not renewed');
    }
  }

  const timer = setInterval(() => void renewOnce(), everyMs);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}
