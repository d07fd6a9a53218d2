import { z } from 'zod';
import { wire } from '../wire.ts';
import { inventoryRows } from './inventory-rows.ts';
import { cursorParameter, languageParameter } from './parameters.ts';

/** Query of GET Live Page. */
export const livePageParameters = z.object({
  language: languageParameter,
  cursor: cursorParameter.optional().describe('Readable for 24 hours.'),
  capture: z
    .enum(['true', 'false'])
    .default('true')
    .describe(
      'With `false` the chain is not saved as a revision: the cursors after this page carry it.',
    ),
});

const endFields = {
  totalCount: z.int().min(0).describe("The platform's count of the complete inventory."),
  pagination: wire({
    hasMore: z.boolean(),
    nextCursor: z.string().optional().describe('Opaque. Absent on the last page.'),
  }),
};

/** `data` of Live Page: one page, read from the platform during the request. */
export const livePage = wire({ ...inventoryRows, ...endFields });

/** The same without its rows. */
export const livePageEnd = wire(endFields);
