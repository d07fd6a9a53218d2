import { z } from 'zod';
import { productCode } from '../vocabulary.ts';

const pagePrice = z.object({
  product_code: productCode,
  /** For each page delivered; of a Live Page also where it is confirmed private or not found. */
  page: z.int().min(0),
});

/**
 * `data` of GET Prices: the list in force, in credits. Subscription units cost the same numbers. A
 * hold keeps the version it was made under.
 */
export const priceView = z.object({
  price_version: z.int().min(1),
  effective_at: z.iso.datetime(),
  refresh: z.object({
    product_code: productCode,
    /** Held at acceptance; the charge never exceeds it. */
    reservation: z.int().min(0),
    /** For each started block of `block_assets` observed assets. */
    block: z.int().min(0),
    block_assets: z.int().min(1),
    /** For a confirmed private or not found outcome. */
    diagnostic: z.int().min(0),
  }),
  live_page: pagePrice,
  current_page: pagePrice,
});
export type PriceView = z.infer<typeof priceView>;
