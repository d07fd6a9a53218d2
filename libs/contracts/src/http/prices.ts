import { z } from 'zod';
import { productCode } from '../vocabulary.ts';
import { time, wire } from '../wire.ts';

const pagePrice = wire({
  productCode,
  page: z
    .int()
    .min(0)
    .describe(
      'For each page delivered; of a Live Page also where it is confirmed private or not found.',
    ),
});

const fields = {
  priceVersion: z.int().min(1),
  effectiveAtMs: time,
  refresh: wire({
    productCode,
    reservation: z
      .int()
      .min(0)
      .describe('Held at acceptance and the least `max_credits`; the charge never exceeds it.'),
    block: z.int().min(0).describe('For each started block of `block_assets` observed assets.'),
    blockAssets: z.int().min(1),
    diagnostic: z.int().min(0).describe('For a confirmed private or not found outcome.'),
  }),
  watch: wire({
    productCode,
    reservation: z.int().min(0).describe('As that of a refresh.'),
    changedBlock: z
      .int()
      .min(0)
      .describe('For each started block of `changed_block_assets`, where the run found a change.'),
    changedBlockAssets: z.int().min(1),
    unchangedBlock: z
      .int()
      .min(0)
      .describe('For each started block of `unchanged_block_assets`, where it found none.'),
    unchangedBlockAssets: z.int().min(1),
    diagnostic: z.int().min(0).describe('As that of a refresh.'),
  }).describe('A run of a watch.'),
  livePage: pagePrice,
  currentPage: pagePrice,
  changesPage: pagePrice.describe('The price of a page of Current; no difference is free.'),
};
const prices = wire(fields);

/**
 * `data` of GET Prices: the current list, in credits, and the one that takes effect next. Prices in
 * subscription units have the same numbers. A hold keeps the version of its reservation.
 */
export const priceView = wire({
  ...fields,
  next: prices
    .nullable()
    .describe(
      'The announced list that takes effect next; null where none is. Until then it may be ' +
        'replaced by one of a higher version.',
    ),
});
