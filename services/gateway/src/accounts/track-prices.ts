import {
  type PriceList,
  type PriceSchedule,
  priceLeadMs,
} from '@inventory/contracts/internal/ledger';
import { Bug } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { pricesInForce } from './price-schedule.ts';

/** The price list in force now, from the lists that were read last. */
export interface PriceVersion {
  /** Version of the list; null until the first read of the ledger. */
  currentVersion(): number | null;
  /** The whole list; null until the first read of the ledger. */
  currentPrices(): PriceList | null;
  /** The whole list; before the first read it is read from the ledger, with its errors. */
  readPrices(): Promise<PriceList>;
}

/** For a process that charges nothing: the ledger is not read. */
export const noPrices: PriceVersion = {
  currentVersion: () => null,
  currentPrices: () => null,
  readPrices: () => Promise.reject(new Bug('this process reads no price list')),
};

export interface TrackPricesDeps {
  readonly ledger: { readPrices(): Promise<PriceSchedule> };
  readonly clock: Clock;
  readonly lifetime: Pick<Lifetime, 'defer'>;
  readonly logger: Logger;
}

/** Every replica reads a list several times between its publication and the time it takes effect. */
const readEveryMs = priceLeadMs / 4;

/**
 * Reads the price lists in the background, so that no request waits for them and the service
 * starts without the ledger. An announced list is applied from its time on, by all replicas. The
 * ledger alone decides what is held and charged.
 */
export function trackPrices(deps: TrackPricesDeps): PriceVersion {
  const { ledger, clock, lifetime, logger } = deps;
  let schedule: PriceSchedule | null = null;
  startPeriodicJob({
    name: 'price list',
    intervalMs: readEveryMs,
    lifetime,
    logger,
    runOnce: async () => {
      schedule = await ledger.readPrices();
    },
  });
  const currentPrices = () => schedule && pricesInForce(schedule, clock.now());
  return {
    currentVersion: () => currentPrices()?.version ?? null,
    currentPrices,
    readPrices: async () => currentPrices() ?? (await ledger.readPrices()),
  };
}
