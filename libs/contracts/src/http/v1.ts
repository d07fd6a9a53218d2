import { z } from 'zod';
import { requestId } from '../ids.ts';
import { wire } from '../wire.ts';
import { errorBody, itemError } from './error-body.ts';
import { inventoryRows } from './inventory-rows.ts';
import { requestIssue } from './meta.ts';
import { languageParameter } from './parameters.ts';

/** Query of both V1 routes. */
export const v1Parameters = wire({
  language: languageParameter,
  startAssetid: z
    .string()
    .regex(/^[0-9]{1,20}$/, 'must be 1 to 20 digits')
    .optional()
    .describe('`last_assetid` of the page before.'),
});

/** The unwrapped body of both V1 routes. */
export const v1Inventory = z.object({
  success: z.literal(1),
  ...inventoryRows,
  total_inventory_count: z.int().min(0),
  more_items: z
    .literal(1)
    .optional()
    .describe('Absent, with `last_assetid`, when the traversal is complete.'),
  last_assetid: z.string().optional(),
});

/** Every failure of the original route but 422. */
export const v1OriginalFailure = z.object({ detail: z.string() });

/** Every failure of the alias but 422. */
export const v1AliasFailure = z.object({
  error: errorBody.shape.error.extend({
    detail: itemError.shape.detail.describe('As in V2, by `code`.'),
  }),
});

/** 422 on both routes. */
export const v1InvalidRequest = z.object({
  error: z.object({
    code: z.literal('invalid_request'),
    message: z.string(),
    request_id: requestId,
    detail: z.object({ issues: z.array(requestIssue) }),
  }),
});
