import { z } from 'zod';
import { observationId, revisionId } from '../ids.ts';
import { type InventoryKey, inventoryKey } from '../inventory-key.ts';
import { scanWindow } from '../messages/revision.ts';
import { descriptions, lookupAssetsMax, pageAssetsMax } from '../vocabulary.ts';
import { time, wire } from '../wire.ts';
import { inventoryRows } from './inventory-rows.ts';
import { pagination } from './meta.ts';
import { canonicalDecimal, cursorParameter, languageParameter } from './parameters.ts';

/** Query of GET Current. Assets are looked up by their ids, or a page of all of them is read. */
export const currentQuery = wire({
  language: languageParameter,
  // Without a default in the document: generated clients send defaults, and a lookup refuses this.
  pageSize: canonicalDecimal(1, pageAssetsMax)
    .optional()
    .describe(
      `At most so many assets, ${pageAssetsMax} when absent; fewer where more would be larger than ` +
        '16 MiB.',
    ),
  cursor: cursorParameter
    .optional()
    .describe('Readable for 24 hours after its revision was superseded.'),
  assetid: z
    .array(z.string().regex(/^[0-9]{1,20}$/, 'must be 1 to 20 digits'))
    .max(lookupAssetsMax, `may be given ${lookupAssetsMax} times`)
    .describe(
      'The assets to look up, compared as text, instead of a page of all; not together with ' +
        '`page_size` and `cursor`.',
    ),
  descriptions: descriptions.default('page').describe('With `none` the page has no descriptions.'),
}).superRefine(({ assetid, pageSize, cursor }, context) => {
  if (assetid.length === 0) return;
  for (const [field, value] of [
    ['page_size', pageSize],
    ['cursor', cursor],
  ] as const) {
    if (value === undefined) continue;
    context.addIssue({ code: 'custom', path: [field], message: 'not together with assetid' });
  }
});

/** The first page of Current for an inventory. */
export function currentPath({ platform_id, app_id, context_id }: InventoryKey): string {
  return `/v2/platform/users/${platform_id}/inventory/${app_id}/${context_id}/current`;
}

const observedFields = {
  scope: inventoryKey,
  revisionId,
  observationId,
  verifiedAtMs: time,
  ageSeconds: z.int().min(0),
  scanWindow,
};
const totalCount = z.int().min(0).describe('Item instances of the whole inventory.');
const foundFields = {
  reportedTotalCount: z.int().min(0),
  notInRevision: z
    .array(z.string())
    .optional()
    .describe('Of a lookup: those of the given ids that no asset of the revision has.'),
  pagination,
};

/**
 * `data` of Current. `total_amount` is an exact JSON integer that may exceed 2^53: a client that needs
 * every digit parses it as text.
 */
export const currentPage = wire({
  ...observedFields,
  ...inventoryRows,
  totalCount,
  totalAmount: z
    .number()
    .min(0)
    .meta({ type: 'integer' })
    .describe('Stacked amounts of the whole inventory: an exact integer that may exceed 2^53.'),
  ...foundFields,
});

/** The same without its rows and its total amount, whose digits are written as text: before and after it. */
export const currentPageBefore = wire({ ...observedFields, totalCount });
export const currentPageTail = wire(foundFields);
