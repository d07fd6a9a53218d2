import { z } from 'zod';
import { observationId, revisionId } from '../ids.ts';
import { type InventoryKey, inventoryKey } from '../inventory-key.ts';
import { changeCounts, scanWindow } from '../messages/revision.ts';
import { pageAssetsMax } from '../vocabulary.ts';
import { time, wire } from '../wire.ts';
import { asset, inventoryRows } from './inventory-rows.ts';
import { pagination } from './meta.ts';
import { cursorParameter, decimalWithDefault, languageParameter } from './parameters.ts';

/** Query of GET Changes. */
export const changesQuery = wire({
  since: revisionId
    .optional()
    .describe(
      'The revision that the client has; required on the first page. With a `cursor` it is that of ' +
        'the first page, or absent.',
    ),
  language: languageParameter,
  pageSize: decimalWithDefault(1, pageAssetsMax, pageAssetsMax).describe(
    'At most so many changes; fewer where more would be larger than 16 MiB.',
  ),
  cursor: cursorParameter
    .optional()
    .describe('Readable for 24 hours after the revision that it leads to was superseded.'),
});

/** What changed in an inventory since a revision. */
export function changesPath(
  { platform_id, app_id, context_id }: InventoryKey,
  since: string,
): string {
  return (
    `/v2/platform/users/${platform_id}/inventory/${app_id}/${context_id}/changes` +
    `?since=${since}`
  );
}

const changed = z
  .object({
    asset: asset.describe('As it is in the later revision.'),
    amount_before: z.string(),
    classid_before: z
      .string()
      .optional()
      .describe('With `instanceid_before`: where one of the two is another now.'),
    instanceid_before: z.string().optional(),
  })
  .describe('An asset of both revisions with another amount, `classid` or `instanceid`.');

const observedFields = {
  scope: inventoryKey,
  fromRevisionId: revisionId,
  toRevisionId: revisionId,
  observationId,
  verifiedAtMs: time,
  ageSeconds: z.int().min(0),
  scanWindow,
};
const countFields = {
  counts: changeCounts.describe('Of the whole difference, not of the page.'),
  pagination,
};

/** `data` of Changes. */
export const changesPage = wire({
  ...observedFields,
  added: inventoryRows.assets.describe('Of the later revision alone.'),
  removed: inventoryRows.assets.describe('Of the earlier revision alone.'),
  changed: z.array(changed),
  descriptions: inventoryRows.descriptions.describe('Of the added and the changed assets.'),
  ...countFields,
});

/** The same without its rows. */
export const changesPageEnd = wire({ ...observedFields, ...countFields });
