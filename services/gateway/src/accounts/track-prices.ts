import type { PriceList } from '@inventory/contracts/internal/ledger';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';

/** The price list in force, for responses that charge nothing. */
export interface PriceVersion {
  /** Version of the list; null until the first read of the ledger. */
  currentVersion(): number | null;
  /** The whole list; null until the first read of the ledger. */
  currentPrices(): PriceList | null;
  /** The whole list; before the first read it is read from the ledger, with its errors. */
  readPrices(): Promise<PriceList>;
}

export interface TrackPricesDeps {
  readonly ledger: { readPrices(): Promise<PriceList> };
  readonly lifetime: Pick<Lifetime, 'defer'>;
  readonly logger: Logger;
}

const readEveryMs = 30_000;

/**
 * Reads the price list in the background, so that no request waits for it and the service starts
 * without the ledger. A charge names its own version; this one may be 30 s old.
 */
export function trackPrices({ ledger, lifetime, logger }: TrackPricesDeps): PriceVersion {
  let list: PriceList | null = null;
  startPeriodicJob({
    name: 'price list',
    intervalMs: readEveryMs,
    lifetime,
    logger,
    runOnce: async () => {
      list = await ledger.readPrices();
    },
  });
  return {
    currentVersion: () => list?.version ?? null,
    currentPrices: () => list,
    readPrices: async () => list ?? (await ledger.readPrices()),
  };
}
