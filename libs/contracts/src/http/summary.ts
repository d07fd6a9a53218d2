import { z } from 'zod';
import { observationId, refreshId, revisionId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { language } from '../languages.ts';
import { scanSource, scanWindow } from '../messages/revision.ts';
import { refreshState } from '../vocabulary.ts';
import { time, wire } from '../wire.ts';

const savedFields = {
  revisionId,
  observationId,
  verifiedAtMs: time,
  scanWindow,
  observedBy: scanSource.describe(
    '`refresh`, or `capture` where it was read page by page as Live Pages.',
  ),
  language: language.describe('Of the scan; descriptions in another one may be older, or absent.'),
  totalCount: z.int().min(0).describe('Item instances of the whole inventory.'),
  hiddenCount: z
    .int()
    .min(0)
    .describe('How many more the platform reported than it showed: hidden items.'),
  descriptionCount: z
    .int()
    .min(0)
    .nullable()
    .describe(
      'Different pairs of `classid` and `instanceid`; null of a revision that was saved before they ' +
        'were counted.',
    ),
};

/** What is saved of an inventory, without its rows: GET …/summary of the revision-store. */
export const savedSummary = wire(savedFields);

const pendingRefresh = wire({ refreshId, state: refreshState, requestedAtMs: time });

/** `data` of GET Summary. */
export const inventorySummary = wire({
  scope: inventoryKey,
  ...savedFields,
  ageSeconds: z.int().min(0),
  pendingRefresh: pendingRefresh
    .nullable()
    .describe(
      'The newest refresh of this inventory by this Project that is under way; null without one.',
    ),
});
