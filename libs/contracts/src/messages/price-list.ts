import { z } from 'zod';
import { requestTimeMs } from '../http/parameters.ts';
import { orNull, strictWire, time, wire } from '../wire.ts';

const fields = {
  version: z.int().min(1),
  /** From when on new holds and charges are made under it. */
  effectiveAtMs: time,
  /** Held when a refresh is accepted, and the most it can cost. */
  refreshReservation: z.int().min(0),
  /** Price of one started block of observed assets. */
  refreshBlock: z.int().min(0),
  refreshBlockAssets: z.int().min(1),
  /** Price of a confirmed private or not-found refresh. */
  refreshDiagnostic: z.int().min(0),
  /**
   * The same of a run of a watch that found a change; its blocks are those of a refresh. Of a list
   * that a ledger of the version before states without it.
   */
  watchChangedBlock: z.int().min(0).default(1),
  /** Of a run that found none, for each block of four times the assets. */
  watchUnchangedBlock: z.int().min(0).default(1),
  livePage: z.int().min(0),
  currentPage: z.int().min(0),
};

/**
 * Prices of one version, in whole credits; units cost the same numbers. Never changed once
 * published.
 */
export const priceList = wire(fields);
export type PriceList = z.output<typeof priceList>;

export const priceVersionMax = 1_000;
const priceMax = 1_000_000_000;
const price = z.int().min(0).max(priceMax);

/** A list to be published, once. Without a date it takes effect as soon as allowed. */
export const newPriceList = strictWire({
  effectiveAtMs: orNull(requestTimeMs),
  refreshReservation: price.min(1),
  refreshBlock: price,
  refreshBlockAssets: price.min(1),
  refreshDiagnostic: price,
  watchChangedBlock: price.optional().describe('`refresh_block` where it is absent.'),
  watchUnchangedBlock: price.optional().describe('`refresh_block` where it is absent.'),
  livePage: price,
  currentPage: price,
});
export type NewPriceList = z.output<typeof newPriceList>;

/**
 * The list in force, and those of higher versions that are announced. At any time the highest version
 * in effect is in force, so an announced list never takes effect after one of a higher version.
 */
export const priceSchedule = wire({
  ...fields,
  announced: z.array(priceList).max(priceVersionMax),
});
export type PriceSchedule = z.output<typeof priceSchedule>;
