import type { PriceList } from '@inventory/contracts/internal/ledger';
import type { Logger } from '@inventory/runtime/logger';
import { startLoop } from '@inventory/runtime/loop';

/** The version of the price list in force, for answers that charge nothing. */
export interface PriceVersion {
  /** Null until the ledger has been read for the first time. */
  current(): number | null;
  /** The whole list; null until then. */
  list(): PriceList | null;
  /** The same; before the first read it asks the ledger, and rejects as that does. */
  read(): Promise<PriceList>;
  stop(): Promise<void>;
}

export interface TrackPricesDeps {
  readonly ledger: { prices(): Promise<PriceList> };
  readonly logger: Logger;
}

const readEveryMs = 30_000;

/**
 * Read in the background, so that no request waits for it and an absent ledger keeps nothing from
 * starting. A charge names its own version; this one may be half a minute old.
 */
export function trackPrices({ ledger, logger }: TrackPricesDeps): PriceVersion {
  let list: PriceList | null = null;
  const loop = startLoop({
    name: 'price list',
    idleMs: readEveryMs,
    logger,
    round: async () => {
      list = await ledger.prices();
      return false;
    },
  });
  return {
    current: () => list?.version ?? null,
    list: () => list,
    read: async () => list ?? (await ledger.prices()),
    stop: () => loop.stop(),
  };
}
