import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { HeldLease, InventoryStore } from '../refreshes/inventory-store.ts';
import type { ScanLease } from './run-scan.ts';

export interface LeaseHolding extends ScanLease {
  /** Renews it no longer and aborts its signal. */
  end(): void;
}

/** Renews a lease three times as often as it expires, and aborts its signal once it may be lost. */
export function holdLease(
  inventories: Pick<InventoryStore, 'renew'>,
  lease: HeldLease,
  {
    leaseMs,
    clock,
    logger,
    stopping,
  }: { leaseMs: number; clock: Clock; logger: Logger; stopping: AbortSignal },
): LeaseHolding {
  const lost = new AbortController();
  let heldUntilMs = clock.now() + leaseMs;

  async function renew(): Promise<void> {
    const askedMs = clock.now();
    if (await inventories.renew(lease)) heldUntilMs = askedMs + leaseMs;
    else end();
  }

  const timer = setInterval(() => {
    if (!isHeld()) return end();
    renew().catch((error: unknown) => logger.warn({ err: error }, 'lease not renewed'));
  }, leaseMs / 3);

  function isHeld(): boolean {
    return clock.now() < heldUntilMs;
  }

  function end(): void {
    clearInterval(timer);
    lost.abort();
  }

  return { signal: AbortSignal.any([stopping, lost.signal]), isHeld, end };
}
