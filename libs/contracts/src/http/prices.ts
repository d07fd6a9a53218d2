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

/**
 * `data` of GET Prices: the current list, in credits. Prices in subscription units have the same
 * numbers. A hold keeps the version of its reservation.
 */
export const priceView = z.object({
  price_version: z.int().min(1),
  effective_at: z.iso.datetime(),
  refresh: z.object({
    product_code: productCode,
    reservation: z.int().min(0).describe('Held at acceptance; the charge never exceeds it.'),
    block: z.int().min(0).describe('For each started block of `block_assets` observed assets.'),
    block_assets: z.int().min(1),
    diagnostic: z.int().min(0).describe('For a confirmed private or not found outcome.'),
  }),
  live_page: pagePrice,
  current_page: pagePrice,
});
export type PriceView = z.infer<typeof priceView>;
