import type { PriceList } from '@inventory/contracts/internal/ledger';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';

/** The version of the price list in force, for answers that charge nothing. */
export interface PriceVersion {
  /** Null until the ledger has been read for the first time. */
  currentVersion(): number | null;
  /** The whole list; null until then. */
  currentPrices(): PriceList | null;
  /** The same; before the first read it asks the ledger, and rejects as that does. */
  readPrices(): Promise<PriceList>;
}

export interface TrackPricesDeps {
  readonly ledger: { readPrices(): Promise<PriceList> };
  readonly lifetime: Pick<Lifetime, 'defer'>;
  readonly logger: Logger;
}

const readEveryMs = 30_000;

/**
 * Read in the background, so that no request waits for it and an absent ledger keeps nothing from
 * starting. A charge names its own version; this one may be half a minute old.
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
