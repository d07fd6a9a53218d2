import { z } from 'zod';
import { productCode } from '../vocabulary.ts';

const pagePrice = z.object({
  product_code: productCode,
  page: z
    .int()
    .min(0)
    .describe(
      'For each page delivered; of a Live Page also where it is confirmed private or not found.',
    ),
});

const prices = z.object({
  price_version: z.int().min(1),
  effective_at: z.iso.datetime(),
  refresh: z.object({
    product_code: productCode,
    reservation: z
      .int()
      .min(0)
      .describe('Held at acceptance and the least `max_credits`; the charge never exceeds it.'),
    block: z.int().min(0).describe('For each started block of `block_assets` observed assets.'),
    block_assets: z.int().min(1),
    diagnostic: z.int().min(0).describe('For a confirmed private or not found outcome.'),
  }),
  watch: z
    .object({
      product_code: productCode,
      reservation: z.int().min(0).describe('As that of a refresh.'),
      changed_block: z
        .int()
        .min(0)
        .describe(
          'For each started block of `changed_block_assets`, where the run found a change.',
        ),
      changed_block_assets: z.int().min(1),
      unchanged_block: z
        .int()
        .min(0)
        .describe('For each started block of `unchanged_block_assets`, where it found none.'),
      unchanged_block_assets: z.int().min(1),
      diagnostic: z.int().min(0).describe('As that of a refresh.'),
    })
    .describe('A run of a watch.'),
  live_page: pagePrice,
  current_page: pagePrice,
  changes_page: pagePrice.describe('The price of a page of Current; no difference is free.'),
});
export type Prices = z.infer<typeof prices>;

/**
 * `data` of GET Prices: the current list, in credits, and the one that takes effect next. Prices in
 * subscription units have the same numbers. A hold keeps the version of its reservation.
 */
export const priceView = prices.extend({
  next: prices
    .nullable()
    .describe(
      'The announced list that takes effect next; null where none is. Until then it may be ' +
        'replaced by one of a higher version.',
    ),
});
