import { z } from 'zod';

/** Rows of one kind on one page at most. The platform sends more than was requested at times. */
export const pageRowsMax = 65_536;

/**
 * The rows of a scanned page, normalized by the collector: the platform's fields pass through, lists
 * are lists, `instanceid` is present, the `assetid` of a currency row is its `currencyid`, and an
 * asset's properties are inside it.
 */
export const stagedAsset = z.looseObject({
  appid: z.int(),
  contextid: z.string(),
  assetid: z.string().min(1),
  classid: z.string(),
  instanceid: z.string(),
  amount: z.string().regex(/^[0-9]{1,20}$/),
  currencyid: z.string().optional(),
});
export type StagedAsset = Readonly<z.infer<typeof stagedAsset>>;

export const stagedDescription = z.looseObject({
  appid: z.int(),
  classid: z.string(),
  instanceid: z.string(),
});
export type StagedDescription = Readonly<z.infer<typeof stagedDescription>>;
