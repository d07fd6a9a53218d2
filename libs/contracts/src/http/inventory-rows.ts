import { z } from 'zod';

/** One item instance. Fields that the platform adds are kept. */
export const asset = z
  .looseObject({
    appid: z.int(),
    contextid: z.string(),
    assetid: z.string().describe('May exceed 2^53.'),
    classid: z.string(),
    instanceid: z.string(),
    amount: z.string().describe('Size of the stack, as decimal digits.'),
    currencyid: z.string().optional().describe('Of a currency row: the same as `assetid`.'),
    asset_properties: z
      .array(z.looseObject({}))
      .optional()
      .describe('As wear and pattern; with the fields that the platform gives. V2 only.'),
  })
  .describe('One item instance.');

/** Metadata of all assets with one `classid` + `instanceid`. Fields that the platform adds are kept. */
export const description = z
  .looseObject({
    appid: z.int(),
    classid: z.string(),
    instanceid: z.string(),
    market_hash_name: z.string().optional(),
    tradable: z.int().optional().describe('1 where the item is tradable.'),
  })
  .describe('Texts and properties shared by all assets of one `classid` + `instanceid`.');

/** The rows of one page. */
export const inventoryRows = { assets: z.array(asset), descriptions: z.array(description) };
