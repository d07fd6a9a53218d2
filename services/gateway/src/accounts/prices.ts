import { priceLeadMs } from '@inventory/contracts/internal/ledger';
import type { PriceList, PriceSchedule } from '@inventory/contracts/messages/price-list';
import { Bug } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';

/** The list of a schedule that is in force at a time: the highest version in effect. */
export function pricesInForce(schedule: PriceSchedule, nowMs: number): PriceList {
  const inEffect = schedule.announced.filter((list) => list.effectiveAtMs <= nowMs);
  return inEffect.reduce<PriceList>(higherVersion, schedule);
}

/** The list that takes effect next, in front of any that it replaces; null where none is announced. */
export function nextPrices({ announced }: PriceSchedule): PriceList | null {
  const [first, ...others] = announced;
  return first === undefined ? null : others.reduce(earlier, first);
}

function higherVersion(left: PriceList, right: PriceList): PriceList {
  return right.version > left.version ? right : left;
}

function earlier(left: PriceList, right: PriceList): PriceList {
  const laterByMs = right.effectiveAtMs - left.effectiveAtMs;
  if (laterByMs === 0) return higherVersion(left, right);
  return laterByMs < 0 ? right : left;
}

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

/** Every replica reads a list several times between its publication and the time it takes effect. */
const readEveryMs = priceLeadMs / 4;

/**
 * Reads the price lists in the background, so that no request waits for them and the service
 * starts without the ledger. An announced list is applied from its time on, by all replicas. The
 * ledger alone decides what is held and charged.
 */
export function trackPrices(deps: {
  readonly ledger: { readPrices(): Promise<PriceSchedule> };
  readonly clock: Clock;
  readonly lifetime: Lifetime;
  readonly logger: Logger;
}): PriceVersion {
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
